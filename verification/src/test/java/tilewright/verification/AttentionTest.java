package tilewright.verification;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import tilewright.kernel.collective.attention.Band;
import tilewright.kernel.collective.attention.HeadPacking;
import tilewright.kernels.attention.AttentionProblem.Sizes;
import tilewright.kernels.attention.Sm80AttentionConfig;
import tilewright.kernels.attention.Sm80AttentionKernel;
import tilewright.numerics.ElementType;
import tilewright.verification.backend.SimulatorBackend;
import tilewright.verification.cases.AttentionCases;
import tilewright.verification.cases.AttentionCheck;
import tilewright.verification.cases.ColumnMajorValues;

/** Features of SM80 attention on the simulator; {@code verify} has the larger grid. */
class AttentionTest {
  private static final long SEED = 11;

  static Stream<AttentionCases.Setup> setups() {
    var usual = AttentionCases.small().stream().filter(s -> s.problem().largestDim() <= 64)
        .filter(s -> s.problem().sizes().batch() == 1 && s.problem().modification().mask().isEmpty());
    return Stream.of(usual, byColumns(), AttentionCases.furtherWide().stream()).flatMap(setups -> setups);
  }

  /** V by columns in vectors of eight keys with a tail, of four and of two, and one by one, in each order of tiles. */
  private static Stream<AttentionCases.Setup> byColumns() {
    var tail = Stream.of(96, 256, 320, 576).map(dim -> ColumnMajorValues.of(AttentionCases.band(ElementType.BF16,
        new Sizes(1, 40, 69, 2, 1, dim, dim), Band.CAUSAL)));
    var full = AttentionCases.band(ElementType.BF16, new Sizes(1, 40, 141, 2, 1, 128, 128), Band.ALL);
    var wide = AttentionCases.band(ElementType.F16, new Sizes(2, 40, 77, 1, 1, 300, 264), Band.window(30, 3));
    return Stream.concat(tail, Stream.of(ColumnMajorValues.of(full, 142), ColumnMajorValues.of(full, 148),
        ColumnMajorValues.of(wide, 77)));
  }

  @ParameterizedTest
  @MethodSource("setups")
  void resultsAreWithinTheErrorRuleAndTheSanitizerIsSilent(AttentionCases.Setup setup) {
    var buffers = AttentionCases.buffers(setup, SEED);
    var outcome = new SimulatorBackend(SEED).run(AttentionCases.SM80.launch().apply(setup.problem()).on(buffers));
    assertEquals(List.of(), outcome.findings());
    assertEquals(Optional.empty(),
        AttentionCheck.compare(setup.problem(), setup.rules(), buffers, buffers).violation());
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 7, 40})
  void headsInOneTileGetTheBitsThatTheyGetApart(int queries) {
    var setup = AttentionCases.band(ElementType.BF16, new Sizes(2, queries, 70, 6, 2, 32, 32), Band.CAUSAL);
    var shape = new Sm80AttentionConfig.Shape(64, 64, 32, 32, 4, 1, false, false, 2, 1);
    var apart = outputs(setup, shape, HeadPacking.NONE);
    var together = outputs(setup, shape, new HeadPacking(3));
    assertArrayEquals(apart.get("O").toArray(ValueLayout.JAVA_BYTE), together.get("O").toArray(ValueLayout.JAVA_BYTE));
    assertArrayEquals(apart.get("LSE").toArray(ValueLayout.JAVA_BYTE),
        together.get("LSE").toArray(ValueLayout.JAVA_BYTE));
  }

  private static Map<String, MemorySegment> outputs(AttentionCases.Setup setup, Sm80AttentionConfig.Shape shape,
      HeadPacking packing) {
    var buffers = AttentionCases.buffers(setup, SEED);
    var launch = Sm80AttentionKernel.prepare(setup.problem(), shape, packing);
    assertEquals(List.of(), new SimulatorBackend(SEED).run(launch.on(buffers)).findings());
    return buffers;
  }

  @Test
  void headsShareTilesWhereQueriesAreFew() {
    assertEquals(HeadPacking.NONE, HeadPacking.of(4096, 8, 64, 64));
    assertEquals(HeadPacking.NONE, HeadPacking.of(1, 1, 64, 64));
    assertEquals(new HeadPacking(8), HeadPacking.of(1, 8, 64, 64));
    assertEquals(new HeadPacking(5), HeadPacking.of(65, 5, 64, 64));
    // 65 of 128 rows in use beside 130 of 192.
    assertEquals(new HeadPacking(2), HeadPacking.of(65, 2, 64, 64));
    assertEquals(HeadPacking.NONE, HeadPacking.of(60, 2, 64, 64));
  }
}
