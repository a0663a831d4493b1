package tilewright.verification.cases;

import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;
import tilewright.kernel.collective.attention.Band;
import tilewright.kernels.attention.AttentionProblem.Sizes;
import tilewright.numerics.ElementType;

/** Attention with sinks: far above all scores, among them, and of no weight. */
public final class AttentionSinks {
  private static final String BUFFER = "sinkLogits";
  /** Its exponential is no FP32 number. */
  private static final double ABOVE_ALL_SCORES = 120;

  private AttentionSinks() {}

  /** Queries that see no keys, heads that share a tile, sequences of different lengths, and no keys. */
  static List<AttentionCases.Setup> setups() {
    return List.of(with(AttentionCases.band(ElementType.BF16, Sizes.of(1, 150, 20, 3, 64), Band.CAUSAL)),
        with(AttentionCases.band(ElementType.F16, new Sizes(1, 70, 140, 4, 2, 128, 128), Band.window(50, 0))),
        with(AttentionCases.band(ElementType.BF16, new Sizes(2, 5, 70, 6, 2, 64, 64), Band.CAUSAL)),
        with(AttentionCases.packed(6, 2)),
        with(AttentionCases.band(ElementType.BF16, Sizes.of(2, 40, 0, 2, 64), Band.ALL)));
  }

  /** Adds a sink for each head. */
  public static AttentionCases.Setup with(AttentionCases.Setup setup) {
    return new AttentionCases.Setup(setup.name() + " with sinks", setup.problem().withSinks(BUFFER), setup.rules(),
        setup.queries(), setup.keys(), setup.captured());
  }

  /** Logits: of the second head far above all scores, of the third none, else like scores; and again. */
  static MemorySegment draw(int heads, long seed) {
    var random = new Random(seed);
    return Buffers.of(ElementType.F32, IntStream.range(0, heads).mapToDouble(head -> switch (head % 4) {
      case 1 -> ABOVE_ALL_SCORES;
      case 2 -> Double.NEGATIVE_INFINITY;
      default -> random.nextDouble(-4, 4);
    }).toArray());
  }
}
