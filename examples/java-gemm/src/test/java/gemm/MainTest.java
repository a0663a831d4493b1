package gemm;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import tilewright.ops.Ops;

class MainTest {
  @ParameterizedTest
  @CsvSource({"128,256,64", "1,8,8", "65,33,40", "3,5,7"})
  void theProductIsExactInTheSimulator(int m, int n, int k) {
    try (var ops = Ops.simulator()) {
      assertEquals(0, Main.error(ops, m, n, k));
    }
  }

  @ParameterizedTest
  @CsvSource({"1024,512,2048", "65,33,40"})
  void theProductIsExactOnAGpu(int m, int n, int k) {
    try (var ops = Ops.open()) {
      assumeTrue(ops.isGpu(), "no GPU");
      assertEquals(0, Main.error(ops, m, n, k));
    }
  }
}
