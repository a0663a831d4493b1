package tilewright.verification.bench;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import java.util.stream.Stream;
import tilewright.kernel.collective.attention.Band;
import tilewright.kernels.attention.AttentionKernel;
import tilewright.kernels.attention.AttentionProblem;
import tilewright.kernels.attention.AttentionProblem.Sizes;
import tilewright.numerics.ElementType;
import tilewright.sm90.attention.HopperAttention;

/** The problems of FlashAttention's own measurements: 16384 tokens of width 2048 in sequences of 512 and on. */
final class AttentionSuite {
  static final List<String> KERNELS = List.of("sm80_attention", "sm90_attention");
  static final List<String> SETTINGS = List.of("dtype", "d", "s", "causal");

  private static final int TOKENS = 16384;
  private static final int WIDTH = 2048;
  private static final List<Integer> HEAD_DIMS = List.of(64, 128, 256);
  private static final int SHORTEST = 512;

  private final Map<String, String> settings;

  AttentionSuite(Map<String, String> settings) {
    this.settings = settings;
  }

  /** The problems that the settings leave, each traced when it is asked for. */
  List<Supplier<Measured>> of(AttentionKernel kernel) {
    var type = ElementType.parse(settings.getOrDefault("dtype", "bf16")).orElseThrow(
        () -> new IllegalArgumentException("no type is called " + settings.get("dtype")));
    var all = new ArrayList<Supplier<Measured>>();
    for (int dim : HEAD_DIMS) {
      for (var band : List.of(Band.ALL, Band.CAUSAL)) {
        for (int length = SHORTEST; length <= TOKENS; length *= 2) {
          var choice = Map.of("d", "" + dim, "s", "" + length, "causal", "" + band.equals(Band.CAUSAL));
          if (!wanted(choice)) continue;
          var problem = AttentionProblem.dense(type, Sizes.of(TOKENS / length, length, length, WIDTH / dim, dim))
              .with(band);
          all.add(() -> measured(kernel, problem));
        }
      }
    }
    return all;
  }

  private boolean wanted(Map<String, String> choice) {
    return choice.entrySet().stream().allMatch(setting -> !settings.containsKey(setting.getKey())
        || List.of(settings.get(setting.getKey()).split(",")).contains(setting.getValue()));
  }

  private static Measured measured(AttentionKernel kernel, AttentionProblem p) {
    var s = p.sizes();
    boolean causal = p.band().equals(Band.CAUSAL);
    long queries = (long) s.batch() * s.queries() * s.heads();
    long keys = (long) s.batch() * s.keys() * s.keyHeads();
    var tensors = List.of(Measured.Tensor.input("Q", p.type(), queries * s.headDim()),
        Measured.Tensor.input("K", p.type(), keys * s.headDim()),
        Measured.Tensor.input("V", p.type(), keys * s.valueDim()),
        Measured.Tensor.output("O", p.type(), queries * s.valueDim()),
        Measured.Tensor.output("LSE", ElementType.F32, queries));
    long bytes = tensors.stream().mapToLong(Measured.Tensor::bytes).sum();
    // By convention a causal mask halves the work, whatever its diagonal.
    double operations = 2.0 * queries * s.keys() * (s.headDim() + s.valueDim()) / (causal ? 2 : 1);
    Map<String, Object> peer = Map.of("op", "attention", "batch", s.batch(), "heads", s.heads(), "kvHeads",
        s.keyHeads(), "queries", s.queries(), "keys", s.keys(), "headDim", s.headDim(), "dtype", p.type().text(),
        "causal", causal);
    var config = p.type().text() + " B=" + s.batch() + " S=" + s.queries() + " H=" + s.heads() + " D=" + s.headDim()
        + (causal ? " causal" : "");
    return new Measured(kernel.name(), kernel.arch(), config, kernel.prepare(p), withCounter(kernel, tensors), bytes,
        operations, peer);
  }

  /** A counter is a zero that each launch leaves so. */
  private static List<Measured.Tensor> withCounter(AttentionKernel kernel, List<Measured.Tensor> tensors) {
    if (!(kernel instanceof HopperAttention)) return tensors;
    var counter = new Measured.Tensor(HopperAttention.COUNTER, ElementType.I32, 1, new Measured.Content.Indices(1));
    return Stream.concat(tensors.stream(), Stream.of(counter)).toList();
  }
}
