package tilewright.verification;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.Set;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import tilewright.kernel.PreparedLaunch;
import tilewright.kernel.collective.attention.Band;
import tilewright.kernels.attention.AttentionProblem.Sizes;
import tilewright.numerics.ElementType;
import tilewright.ptx.Dim3;
import tilewright.verification.backend.SimulatorBackend;
import tilewright.verification.cases.AttentionCases;

/** Blackwell attention beside the reference, under several schedules. */
class Sm100AttentionTest {

  @ParameterizedTest(name = "{0} queries, {1} keys, {2} heads that share {3}, {4} wide, {5}, seed {6}")
  @CsvSource({"256, 256, 1, 1, 64, full, 1", "140, 129, 1, 1, 64, causal, 2", "30, 0, 1, 1, 64, full, 3",
      "20, 150, 2, 1, 64, window, 4"})
  void outputAndLogarithmsAreTheReferences(int queries, int keys, int heads, int keyHeads, int dim, String form,
      long seed) {
    var band = switch (form) {
      case "causal" -> Band.CAUSAL;
      case "window" -> Band.window(40, 10);
      default -> Band.ALL;
    };
    var sizes = new Sizes(1, queries, keys, heads, keyHeads, dim, dim);
    var row = Verification.verify(AttentionCases.makeCase(AttentionCases.SM100,
        AttentionCases.band(ElementType.BF16, sizes, band), Set.of("sim"), seed), new SimulatorBackend(seed));
    assertEquals(Row.Status.PASS, row.status(), row.reason());
  }

  /** What is on its way when a CTA turns to its next tile must not be overwritten. */
  @ParameterizedTest(name = "seed {0}")
  @ValueSource(longs = {0, 1, 2, 3, 4, 5})
  void oneCtaComputesAllTilesAsWell(long seed) {
    var alone = new AttentionCases.Architecture(AttentionCases.SM100.kernel(), problem -> {
      var launch = AttentionCases.SM100.launch().apply(problem);
      return new PreparedLaunch(launch.kernel(), Dim3.ONE, launch.arguments());
    });
    var sizes = new Sizes(1, 520, 200, 1, 1, 64, 64);
    var row = Verification.verify(AttentionCases.makeCase(alone, AttentionCases.band(ElementType.BF16, sizes, Band.ALL),
        Set.of("sim"), seed), new SimulatorBackend(seed));
    assertEquals(Row.Status.PASS, row.status(), row.reason());
  }
}
