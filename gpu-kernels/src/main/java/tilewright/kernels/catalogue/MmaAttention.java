package tilewright.kernels.catalogue;

import java.util.List;
import java.util.stream.Stream;
import tilewright.kernels.attention.variants.VariantAttention;
import tilewright.kernels.attention.variants.VariantConfig;
import tilewright.kernels.attention.variants.Way;
import tilewright.numerics.ElementType;
import tilewright.reference.TiledAttentionReference;

/** O = softmax(Q·Kᵀ/√d)·V of Q, K, V and O (B,S,H,d) on tensor cores: a family for each {@link Way}. */
final class MmaAttention extends OptionedFamily {
  private static final int BLOCK = 64;

  private final Way way;

  private MmaAttention(Way way) {
    super("attention_" + way, "O = softmax(Q·Kᵀ/√d)·V (B,S,H,d): " + way.text(),
        List.of(Setting.option("dtype", "f16", "bf16"), Setting.option("acc", "f32", "f16")));
    this.way = way;
  }

  static Stream<Family> families() {
    return Stream.of(Way.values()).map(MmaAttention::new);
  }

  @Override
  List<Setting> common() {
    return List.of(Setting.extent("batch", 1), Setting.extent("seq", 1024), Setting.extent("heads", 8),
        Setting.extent("d", 64));
  }

  @Override
  List<Setting> tunings() {
    return List.of(new Setting("swizzle", List.of("qkv", "qk", "q", "none"), Setting.Kind.TUNING));
  }

  @Override
  public boolean supports(Choice choice) {
    return choice.text("dtype").equals("f16") || choice.text("acc").equals("f32");
  }

  @Override
  public List<List<Integer>> awkward() {
    return way == Way.TILED_QKV
        ? List.of(List.of(1, 1, 1, 32), List.of(1, 40, 1, 1024), List.of(1, 70, 1, 320), List.of(2, 65, 2, 96))
        : List.of(List.of(1, 1, 1, 32), List.of(1, 64, 1, way.mostDim()), List.of(2, 65, 2, 96));
  }

  @Override
  public List<List<Integer>> measured() {
    var common = List.of(List.of(1, 8192, 8, 64), List.of(1, 8192, 8, 128));
    return way != Way.TILED_QKV ? common : Stream.concat(common.stream(),
        Stream.of(List.of(1, 8192, 32, 320), List.of(1, 8192, 32, 512), List.of(1, 8192, 32, 1024))).toList();
  }

  @Override
  public Workload workload(Choice choice) {
    int batch = choice.number("batch");
    int sequence = choice.number("seq");
    int heads = choice.number("heads");
    int d = choice.number("d");
    if (batch < 1 || sequence < 1 || heads < 1) {
      throw new IllegalArgumentException("no attention of " + choice + ": extents are at least 1");
    }
    var type = choice.type("dtype");
    var accumulator = choice.type("acc");
    var config = new VariantConfig(way, type, accumulator, d, choice.text("swizzle"));
    var modes = new String[] {"batch", "seq", "heads", "d"};
    var inputs = Stream.of("Q", "K", "V").map(name -> Operand.input(name, type, choice, modes));
    var all = Stream.concat(inputs, Stream.of(Operand.output("O", type, choice, modes))).toList();
    long bytes = all.stream().mapToLong(Operand::bytes).sum();
    var reference = new TiledAttentionReference(type, accumulator == ElementType.F16, batch, sequence, heads, d, BLOCK);
    return new Workload(VariantAttention.prepare(config, batch, sequence, heads), all, reference, bytes,
        4.0 * batch * heads * sequence * sequence * d);
  }
}
