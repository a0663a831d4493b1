package tilewright.verification;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tilewright.kernels.GemmProblem;
import tilewright.numerics.ElementType;
import tilewright.verification.backend.SimulatorBackend;
import tilewright.verification.cases.GemmCases;

/** Tiles of which each CTA of a cluster copies rows that begin inside a pattern of eight swizzled rows. */
class SharedTilesTest {
  private static final int SEED = 28;

  @ParameterizedTest
  @ValueSource(strings = {"128x120x2", "64x112x4", "64x72x4-beside2", "64x56x2-split4-transposed"})
  void sharesMayBeginAnywhereInAPattern(String tile) {
    var problem = GemmProblem.packed(ElementType.BF16, ElementType.BF16, 200, 136, 296, 1, "TN");
    var row = Verification.verify(GemmCases.tiled(problem, tile, Set.of("sim"), SEED), new SimulatorBackend(SEED));
    assertEquals(Row.Status.PASS, row.status(), row.reason());
    assertEquals(Optional.of(true), row.bitExact());
  }
}
