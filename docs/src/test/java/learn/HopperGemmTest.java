package learn;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.Random;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import tilewright.kernel.Target;
import tilewright.ops.Simulate;

class HopperGemmTest {
  @ParameterizedTest
  @CsvSource({"64,128,512", "65,130,72", "1,1,8"})
  void multiplies(int m, int n, int k) {
    var a = new Random(1).ints((long) m * k, -4, 5).asDoubleStream().toArray();
    var b = new Random(2).ints((long) n * k, -4, 5).asDoubleStream().toArray();
    var c = Simulate.kernel(new HopperGemm(4)).target(Target.SM90A).in("A", a, m, k).in("B", b, n, k).out("C", m, n)
        .grid(Math.ceilDiv(m, 64), Math.ceilDiv(n, 128)).run().requireClean().doubles("C");
    for (int i = 0; i < m * n; i++) {
      double sum = 0;
      for (int d = 0; d < k; d++) sum += a[i / n * k + d] * b[i % n * k + d];
      assertEquals(sum, c[i], "element " + i);
    }
  }
}
