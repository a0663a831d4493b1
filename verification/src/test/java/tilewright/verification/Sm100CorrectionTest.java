package tilewright.verification;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.IntUnaryOperator;
import org.junit.jupiter.api.Test;
import tilewright.kernel.PreparedLaunch;
import tilewright.kernel.collective.attention.Band;
import tilewright.kernels.attention.AttentionProblem.Sizes;
import tilewright.numerics.ElementType;
import tilewright.ptx.PtxParser;
import tilewright.simulator.Profile;
import tilewright.simulator.Program;
import tilewright.simulator.Simulator;
import tilewright.simulator.SimulatorOptions;
import tilewright.sm100.attention.Sm100AttentionConfig.Shape;
import tilewright.sm100.attention.Sm100AttentionKernel;
import tilewright.verification.cases.AttentionCases;
import tilewright.verification.cases.AttentionCheck;
import tilewright.verification.cases.Buffers;

/** When Blackwell attention corrects its sums: scores of a row grow from block to block by what its query says. */
public class Sm100CorrectionTest {
  private static final int QUERIES = 256;
  private static final int BLOCK = 64;
  private static final int KEYS = 3 * BLOCK;
  private static final int DIM = 64;
  /** Scores, divided by √64, in binary logarithms: they grow by 7.93 and by 8.12 a block. */
  private static final int JUST_BELOW = 44;
  private static final int JUST_ABOVE = 45;

  private final AttentionCases.Setup setup =
      AttentionCases.band(ElementType.BF16, Sizes.of(1, QUERIES, KEYS, 1, DIM), Band.ALL);
  private final PreparedLaunch launch =
      Sm100AttentionKernel.prepare(setup.problem(), new Shape(DIM, DIM, BLOCK, 6, 4));
  private final Program program = Simulator.load(PtxParser.parse(launch.kernel().ptx()));

  /** All elements but the first are zero; that of a key says how many blocks are visited before its own. */
  private Map<String, MemorySegment> growing(IntUnaryOperator firstOfQuery) {
    var buffers = new HashMap<>(AttentionCases.buffers(new Sm100AttentionKernel(), setup, 1));
    buffers.put("Q", Buffers.zeros(ElementType.BF16, QUERIES * DIM));
    buffers.put("K", Buffers.zeros(ElementType.BF16, KEYS * DIM));
    for (int q = 0; q < QUERIES; q++) setFirst(buffers.get("Q"), DIM, q, firstOfQuery.applyAsInt(q));
    for (int k = 0; k < KEYS; k++) setFirst(buffers.get("K"), DIM, k, KEYS / BLOCK - 1 - k / BLOCK);
    return buffers;
  }

  /** Sets the first element of a row of so many, of bf16. */
  public static void setFirst(MemorySegment rows, int columns, int row, float value) {
    rows.setAtIndex(ValueLayout.JAVA_SHORT_UNALIGNED, (long) row * columns,
        (short) (Float.floatToRawIntBits(value) >>> Short.SIZE));
  }

  /** Stores to Tensor Memory, by a warp each: of weights, as many whatever the scores are, and of corrected sums. */
  private long stores(Map<String, MemorySegment> buffers) {
    var options = SimulatorOptions.defaults().withSanitizer(true).withProfile(true).withSeed(3);
    var result = program.run(launch.on(buffers), options);
    assertEquals(List.of(), result.findings());
    return result.profile().orElseThrow().executions().stream()
        .filter(e -> e.instruction().contains("tcgen05.st")).mapToLong(Profile.Executions::warps).sum();
  }

  /** Half of that growth is never too much; just below, the second step makes it so, and just above each of both. */
  @Test
  void sumsAreLeftAloneUntilAWeightWouldExceedTwoToTheEighth() {
    long ofWeights = stores(growing(_ -> JUST_BELOW / 2));
    long below = stores(growing(_ -> JUST_BELOW)) - ofWeights;
    assertEquals(ofWeights, stores(growing(_ -> 0)));
    assertTrue(below > 0, "no sum was corrected");
    assertEquals(2 * below, stores(growing(_ -> JUST_ABOVE)) - ofWeights);
  }

  @Test
  void rowsOnBothSidesOfTheThresholdAreTheReferences() {
    int[] growth = {JUST_BELOW, JUST_ABOVE, 0, -JUST_ABOVE, 3 * JUST_ABOVE, JUST_BELOW / 2};
    var buffers = growing(q -> growth[q % growth.length]);
    var in = growing(q -> growth[q % growth.length]);
    stores(buffers);
    assertEquals(Optional.empty(), AttentionCheck.compare(setup.problem(), setup.rules(), in, buffers).violation());
  }
}
