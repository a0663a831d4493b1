package tilewright.sm90;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import tilewright.kernels.GemmProblem;
import tilewright.numerics.ElementType;

class HopperGemmTest {
  private static GemmProblem problem(int m, int n, int k) {
    return GemmProblem.packed(ElementType.BF16, ElementType.BF16, m, n, k, 1, "TN");
  }

  /** One wave of 128 large tiles; four waves of which the last is a third full, against seven of small ones. */
  @ParameterizedTest
  @CsvSource({"2048, 2048, 128, 256", "4096, 4096, 128, 256", "1024, 14336, 128, 128"})
  void tilesAreChosenByWaves(int m, int n, int tileM, int tileN) {
    var config = HopperGemm.configure(problem(m, n, 4096));
    assertEquals(tileM + "x" + tileN, config.tileM() + "x" + config.tileN());
  }

  @Test
  void noMoreClustersAreLaunchedThanThereAreTiles() {
    assertEquals(2, HopperGemm.prepare(problem(200, 104, 64)).grid().x());
  }

  @Test
  void unalignedRowsAreRefusedWithTheRule() {
    var refusal = assertThrows(IllegalArgumentException.class, () -> HopperGemm.prepare(problem(64, 64, 65)));
    assertTrue(refusal.getMessage().contains("stride of M is 65, this kernel needs multiples of 8"),
        refusal.getMessage());
  }
}
