package tilewright.verification;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import tilewright.kernel.PreparedLaunch;
import tilewright.kernel.collective.attention.Band;
import tilewright.kernel.collective.attention.HeadPacking;
import tilewright.kernels.attention.AttentionProblem.Packed;
import tilewright.kernels.attention.AttentionProblem.Sizes;
import tilewright.numerics.ElementType;
import tilewright.ptx.Dim3;
import tilewright.sm90.attention.Sm90AttentionConfig.Shape;
import tilewright.sm90.attention.Sm90AttentionKernel;
import tilewright.verification.backend.SimulatorBackend;
import tilewright.verification.cases.AttentionCases;

/** Hopper attention with several heads in one tile, beside the same with a tile for each head. */
class Sm90HeadPackingTest {
  private static final long SEED = 5;
  private static final int DIM = 64;
  private static final Shape APART = new Shape(DIM, DIM, 2, 32, 2, 2, DIM, true);
  private static final Shape IN_PLACE = new Shape(DIM, DIM, 1, 32, 2, 1, 0, false);

  /**
   * Sharers that fill their boxes and sharers that do not; tiles that begin in the middle of the queries, but for
   * bands, where tiles of other queries begin with other blocks.
   */
  @ParameterizedTest(name = "{0} queries of {1} heads, {2} of keys, {3}")
  @CsvSource({"1, 6, 2, all", "7, 8, 2, causal", "70, 6, 2, all", "8, 8, 1, window", "33, 5, 1, all"})
  void headsInOneTileGetTheBitsThatTheyGetApart(int queries, int heads, int keyHeads, String form) {
    var band = switch (form) {
      case "causal" -> Band.CAUSAL;
      case "window" -> Band.window(20, 3);
      default -> Band.ALL;
    };
    var sizes = new Sizes(2, queries, 70, heads, keyHeads, DIM, DIM);
    var setup = AttentionCases.band(ElementType.BF16, sizes, band);
    for (var shape : List.of(APART, IN_PLACE)) {
      assertSameBits(setup, shape, new HeadPacking(heads / keyHeads).inBoxes());
    }
  }

  @ParameterizedTest(name = "{0} heads, {1} of keys")
  @CsvSource({"4, 2", "8, 1"})
  void headsOfSequencesThatLieOneAfterTheOtherDoToo(int heads, int keyHeads) {
    int[] queries = {20, 0, 3, 37};
    int[] keys = {20, 5, 0, 64};
    var problem = AttentionCases.band(ElementType.F16, new Sizes(1, 60, 89, heads, keyHeads, DIM, DIM), Band.ALL)
        .problem().with(new Packed("cuQ", "cuK", queries.length, 37));
    var setup = new AttentionCases.Setup("packed", problem, (_, _, _) -> null, queries, keys);
    assertSameBits(setup, APART, new HeadPacking(heads / keyHeads));
  }

  private static void assertSameBits(AttentionCases.Setup setup, Shape shape, HeadPacking packing) {
    var apart = outputs(setup, shape, HeadPacking.NONE);
    var together = outputs(setup, shape, packing);
    for (var name : List.of("O", "LSE")) {
      assertArrayEquals(apart.get(name).toArray(ValueLayout.JAVA_BYTE),
          together.get(name).toArray(ValueLayout.JAVA_BYTE), name);
    }
  }

  /** On two CTAs, which have several tiles each. */
  private static Map<String, MemorySegment> outputs(AttentionCases.Setup setup, Shape shape, HeadPacking packing) {
    var buffers = AttentionCases.buffers(setup, SEED);
    var launch = Sm90AttentionKernel.prepare(setup.problem(), shape, packing);
    var onTwo = new PreparedLaunch(launch.kernel(), Dim3.of(2), launch.arguments());
    assertEquals(List.of(), new SimulatorBackend(SEED).run(onTwo.on(buffers)).findings());
    return buffers;
  }
}
