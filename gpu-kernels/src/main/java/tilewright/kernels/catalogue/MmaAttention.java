package tilewright.kernels.catalogue;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.stream.Stream;
import tilewright.kernel.CompiledKernel;
import tilewright.kernel.Kernel;
import tilewright.kernel.PreparedLaunch;
import tilewright.kernel.Scope;
import tilewright.kernel.Target;
import tilewright.kernels.attention.AttentionArguments;
import tilewright.kernels.attention.AttentionProblem.Sizes;
import tilewright.kernels.attention.AttentionProblem;
import tilewright.kernels.attention.VariantConfig;
import tilewright.kernels.attention.Way;
import tilewright.kernels.registry.Choice;
import tilewright.kernels.registry.Family;
import tilewright.kernels.registry.Operand;
import tilewright.kernels.registry.Setting;
import tilewright.kernels.registry.Workload;
import tilewright.numerics.ElementType;
import tilewright.ptx.Dim3;
import tilewright.ptx.Multiprocessor;
import tilewright.reference.TiledAttentionReference;

/**
 * O = softmax(Q·Kᵀ/√d)·V of Q, K, V and O (B,S,H,d) on tensor cores: the SM80 attention in the ways worth
 * comparing, a family for each.
 *
 * @param config of the underlying kernel
 */
record MmaAttention(VariantConfig config) implements Kernel {
  private static final int BLOCK = 64;

  static final List<Family> FAMILIES = Stream.of(Way.values()).<Family>map(WayFamily::new).toList();

  @Override
  public String name() {
    return config.kernel().name();
  }

  @Override
  public void trace(Scope k) {
    config.kernel().trace(k);
  }

  private static PreparedLaunch launch(VariantConfig config, int batch, int sequence, int heads) {
    var kernel = CompiledKernel.compile(new MmaAttention(config), Target.SM80);
    var problem = AttentionProblem.dense(config.type(), Sizes.of(batch, sequence, sequence, heads, config.dim()))
        .withLogarithms(Optional.empty());
    return new PreparedLaunch(kernel, new Dim3(Math.ceilDiv(sequence, config.tileM()), heads, batch),
        AttentionArguments.of(kernel, problem).build());
  }

  /** One way, in every type. */
  private static final class WayFamily extends OptionedFamily {
    private final Way way;
    private final int held;

    WayFamily(Way way) {
      this(way, Integer.MAX_VALUE);
    }

    /** @param held bytes of shared memory that a CTA can have */
    private WayFamily(Way way, int held) {
      super("attention_" + way, "O = softmax(Q·Kᵀ/√d)·V (B,S,H,d): " + way.text(),
          List.of(Setting.option("dtype", "f16", "bf16"), Setting.option("acc", "f32", "f16", "mixed")));
      this.way = way;
      this.held = held;
    }

    @Override
    public Family on(int capability) {
      return new WayFamily(way, Multiprocessor.of(capability).ctaSharedBytes());
    }

    @Override
    List<Setting> common() {
      return List.of(Setting.extent("batch", 1), Setting.extent("seq", 1024), Setting.extent("heads", 8),
          Setting.extent("d", 64));
    }

    @Override
    List<Setting> tunings() {
      var swizzle = new Setting("swizzle", List.of("qkv", "qk", "q", "none"), Setting.Kind.TUNING);
      return way == Way.TILED_KV ? List.of(swizzle, new Setting("slots", List.of("2", "3", "4"), Setting.Kind.TUNING))
          : List.of(swizzle);
    }

    @Override
    public boolean supports(Choice choice) {
      return choice.text("dtype").equals("f16") || choice.text("acc").equals("f32");
    }

    /** @throws IllegalArgumentException naming the head dimensions that fit, where this one does not */
    @Override
    public void requireSupported(Choice choice) {
      super.requireSupported(choice);
      if (fits(choice)) return;
      var most = mostDim(choice);
      throw new IllegalArgumentException("d=%d needs more shared memory than the %d bytes that a CTA has: %s".formatted(
          choice.number("d"), held, most.isPresent() ? "with these settings d is at most " + most.getAsInt()
              : "with these settings no d fits"));
    }

    private boolean fits(Choice choice) {
      return held == Integer.MAX_VALUE || launch(config(choice), 1, 1, 1).kernel().dynamicSharedBytes() <= held;
    }

    /** The largest head dimension that shared memory has room for. */
    private OptionalInt mostDim(Choice choice) {
      return VariantConfig.dims(way).filter(d -> fits(choice.with(Map.of("d", Integer.toString(d))))).findFirst();
    }

    @Override
    public Set<String> positive() {
      return Set.of("d");
    }

    @Override
    public List<List<Integer>> awkward() {
      int most = mostDim(defaults()).orElse(way.mostDim());
      if (way == Way.TILED_KV) {
        return List.of(List.of(1, 1, 1, 64), List.of(1, 40, 1, most), List.of(1, 70, 1, 320), List.of(2, 65, 2, 128));
      }
      return way.mostDim() > 256
          ? List.of(List.of(1, 1, 1, 32), List.of(1, 40, 1, most), List.of(1, 70, 1, 320),
            List.of(2, 65, 2, 96))
          : List.of(List.of(1, 1, 1, 32), List.of(1, 64, 1, most), List.of(2, 65, 2, 96));
    }

    @Override
    public List<List<Integer>> measured() {
      var common = List.of(List.of(1, 8192, 8, 64), List.of(1, 8192, 8, 128));
      return way != Way.TILED_QKV && way != Way.TILED_KV ? common : Stream.concat(common.stream(),
          Stream.of(List.of(1, 8192, 32, 320), List.of(1, 8192, 32, 512), List.of(1, 8192, 32, 1024))).toList();
    }

    private VariantConfig config(Choice choice) {
      // Mixed: S is summed in FP32, O in f16.
      var scores = choice.text("acc").equals("f16") ? ElementType.F16 : ElementType.F32;
      var output = choice.text("acc").equals("f32") ? ElementType.F32 : ElementType.F16;
      int slots = way == Way.TILED_KV ? choice.number("slots") : way.slots();
      return new VariantConfig(way, choice.type("dtype"), scores, output, choice.number("d"), choice.text("swizzle"),
          slots);
    }

    @Override
    public Workload workload(Choice choice) {
      int batch = choice.number("batch");
      int sequence = choice.number("seq");
      int heads = choice.number("heads");
      int d = choice.number("d");
      var type = choice.type("dtype");
      var config = config(choice);
      var modes = new String[] {"batch", "seq", "heads", "d"};
      var inputs = Stream.of("Q", "K", "V").map(name -> Operand.input(name, type, choice, modes));
      var all = Stream.concat(inputs, Stream.of(Operand.output("O", type, choice, modes))).toList();
      long bytes = all.stream().mapToLong(Operand::bytes).sum();
      return new Workload(launch(config, batch, sequence, heads), all, new TiledAttentionReference(type,
          config.scoreSums(), config.outputSums(), batch, sequence, heads, d, BLOCK), bytes,
          4.0 * batch * heads * sequence * sequence * d);
    }
  }
}
