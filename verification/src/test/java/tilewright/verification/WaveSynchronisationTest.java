package tilewright.verification;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.HashMap;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import tilewright.async.collective.ClusterShape;
import tilewright.kernel.PreparedLaunch;
import tilewright.kernels.GemmProblem;
import tilewright.numerics.ElementType;
import tilewright.ptx.Dim3;
import tilewright.sm90.GroupedGemm;
import tilewright.sm90.Grouping;
import tilewright.sm90.Loading;
import tilewright.sm90.Sm90GemmConfig.Operands;
import tilewright.sm90.Sm90GemmConfig.TileShape;
import tilewright.sm90.Sm90GemmConfig;
import tilewright.sm90.Sm90Gemms;
import tilewright.sm90.Variant;
import tilewright.verification.cases.Case;
import tilewright.verification.cases.GemmCases;

/** Waves that CTAs synchronise: only the time of a copy may differ, never a result. */
class WaveSynchronisationTest {
  private static final int SEEDS = 2;
  private static final ClusterShape ALONE = new ClusterShape(1, 1, 1);

  private static GemmProblem problem(int m, int n, int k, int batch) {
    return GemmProblem.packed(ElementType.BF16, ElementType.F32, m, n, k, batch, "TN");
  }

  private static Sm90GemmConfig config(GemmProblem p, ClusterShape cluster) {
    return new Sm90GemmConfig(Operands.alongK(p.types()), new TileShape(64, 64, 64), 1, 2,
        cluster, 2, 1, Variant.PLAIN.with(Variant.Order.WAVE_SYNCHRONISED));
  }

  private static PreparedLaunch launch(GemmProblem p, ClusterShape cluster, int blocks) {
    var prepared = Sm90Gemms.prepare(p, config(p, cluster));
    return new PreparedLaunch(prepared.kernel(), Dim3.of(blocks), prepared.arguments(), prepared.scratch());
  }

  private static Case given(GemmProblem p, ClusterShape cluster, PreparedLaunch launch) {
    return GemmCases.hopper(p, config(p, cluster), () -> launch, "paced", Set.of("sim"), 3);
  }

  /**
   * As many tiles for each, one more for some; a tile each; fewer than CTAs; clusters; a batch; short tiles; slices of
   * k.
   */
  @ParameterizedTest
  @CsvSource({"128, 192, 1160, 1, 3, 1, 1", "192, 136, 1096, 1, 4, 1, 1", "64, 192, 1160, 1, 3, 1, 1",
      "64, 64, 1160, 1, 3, 1, 1", "256, 128, 1160, 1, 4, 2, 1", "64, 128, 1096, 3, 2, 1, 1",
      "136, 192, 200, 1, 2, 1, 1", "128, 192, 2320, 1, 4, 1, 2"})
  void productsAreTheSameAndTheCounterIsZeroAgain(int m, int n, int k, int batch, int blocks, int rows, int splits) {
    var p = problem(m, n, k, batch);
    var cluster = new ClusterShape(rows, 1, splits);
    var launch = launch(p, cluster, blocks);
    assertTrue(launch.kernel().parameters().stream().anyMatch(parameter -> parameter.name().startsWith("pace")),
        "the kernel counts arrivals");
    for (long seed = 0; seed < SEEDS; seed++) {
      var run = CheckedRun.bitExact(launch, given(p, cluster, launch), seed);
      assertArrayEquals(new int[1], run.buffers().get("pace").toArray(ValueLayout.JAVA_INT),
          "the counter is left as the next launch needs it");
    }
  }

  /** The first arrival starts the count again, so that all of a tile's are one too few. */
  @Test
  void whoWaitsInVainGoesOn() {
    var p = problem(128, 192, 1160, 1);
    var launch = launch(p, ALONE, 3);
    var given = given(p, ALONE, launch);
    var early = new Case(given.kernel(), given.arch(), given.config(), given.backends(), given.price(),
        given.launches(), () -> {
          var buffers = new HashMap<>(given.inputs().get());
          buffers.put("pace", MemorySegment.ofArray(new int[] {-1}));
          return buffers;
        }, given.check(), true);
    var run = CheckedRun.bitExact(launch, early, 1);
    assertArrayEquals(new int[] {5}, run.buffers().get("pace").toArray(ValueLayout.JAVA_INT));
  }

  @Test
  void aTileIsCopiedAfterTheWaitAndItsLastStepsAfterTheArrival() {
    var p = problem(128, 192, 1160, 1);
    var parts = Sm90Gemms.prepare(p, config(p, ALONE)).kernel().ptx()
        .split("ld\\.relaxed\\.gpu\\.global|atom\\.relaxed\\.gpu\\.global\\.inc", -1);
    assertEquals(List.of(false, true, true), List.of(parts).stream().map(WaveSynchronisationTest::copies).toList(),
        "copies before the wait, up to the arrival, after it");
  }

  private static boolean copies(String ptx) {
    return ptx.contains("cp.async.bulk.tensor.3d.shared::cluster");
  }

  @Test
  void groupsAndWeightsAheadHaveNoWavesToSynchronise() {
    var p = problem(128, 128, 64, 1);
    var config = config(p, ALONE);
    assertTrue(assertThrows(IllegalArgumentException.class, () -> config.with(Loading.WEIGHTS_AHEAD)).getMessage()
        .startsWith("waves cannot be synchronised"));
    var groups = new GroupedGemm(p, Grouping.CONTIGUOUS, 1);
    var wide = new Sm90GemmConfig(Operands.alongK(p.types()), new TileShape(GroupedGemm.ROWS, 64, 64), 2, 2,
        new ClusterShape(1, 1, 1), 2, 1, Variant.PLAIN.with(Variant.Order.WAVE_SYNCHRONISED));
    assertTrue(assertThrows(IllegalArgumentException.class, () -> groups.prepare(wide)).getMessage()
        .startsWith("waves cannot be synchronised"));
  }
}
