package tilewright.verification;

import java.util.Set;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import tilewright.async.collective.ClusterShape;
import tilewright.kernel.PreparedLaunch;
import tilewright.kernels.GemmProblem;
import tilewright.numerics.ElementType;
import tilewright.ptx.Dim3;
import tilewright.sm90.Loading;
import tilewright.sm90.Sm90GemmConfig.Operands;
import tilewright.sm90.Sm90GemmConfig.TileShape;
import tilewright.sm90.Sm90GemmConfig;
import tilewright.sm90.Sm90Gemms;
import tilewright.sm90.Variant;
import tilewright.verification.cases.GemmCases;

/** Weights that are copied before the previous kernel has ended: the same bits, and nothing else comes before. */
class WeightsAheadTest {
  private static final int SEEDS = 3;

  private static GemmProblem problem(int m, int n, int k, int batch) {
    return GemmProblem.packed(ElementType.BF16, ElementType.BF16, m, n, k, batch, "TN");
  }

  private static Sm90GemmConfig config(GemmProblem p, boolean transposed, int tileN, ClusterShape cluster) {
    return new Sm90GemmConfig(Operands.alongK(p.types()), new TileShape(64, tileN, 64), 1, 3, cluster, 2, 1,
        Variant.PLAIN.with(Loading.WEIGHTS_AHEAD)
            .with(transposed ? Variant.Orientation.TRANSPOSED : Variant.Orientation.STRAIGHT));
  }

  /**
   * Fewer steps than stages and more, of one tile and of several, of which a CTA may have none; no steps; a batch;
   * parts of k of unlike lengths, one empty; CTAs that copy for each other.
   */
  @ParameterizedTest
  @CsvSource({"true, 5, 64, 72, 1, 1, 1, 1, 1", "true, 5, 192, 520, 1, 2, 1, 1, 1", "true, 16, 64, 0, 1, 1, 1, 1, 1",
      "true, 3, 136, 136, 3, 2, 1, 1, 1", "true, 9, 64, 584, 1, 2, 1, 1, 2", "true, 9, 128, 64, 1, 2, 1, 1, 2",
      "true, 24, 72, 392, 1, 2, 1, 2, 1", "true, 8, 256, 264, 1, 2, 2, 1, 1", "false, 72, 40, 392, 1, 3, 1, 1, 1",
      "false, 136, 24, 200, 2, 2, 2, 1, 1"})
  void theProductHasTheSameBitsUnderEverySchedule(boolean transposed, int m, int n, int k, int batch, int blocks,
      int clusterM, int clusterN, int splits) {
    var p = problem(m, n, k, batch);
    var config = config(p, transposed, 16, new ClusterShape(clusterM, clusterN, splits));
    var prepared = Sm90Gemms.prepare(p, config);
    var launch = new PreparedLaunch(prepared.kernel(), Dim3.of(blocks), prepared.arguments());
    var given = GemmCases.hopper(p, config, () -> launch, "weights ahead", Set.of("sim"), 3);
    for (long seed = 0; seed < SEEDS; seed++) CheckedRun.bitExact(launch, given, seed);
  }
}
