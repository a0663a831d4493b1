package learn;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.Random;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import tilewright.ops.Simulate;

class TiledGemmTest {
  @ParameterizedTest
  @CsvSource({"64,64,16", "65,130,33", "1,1,1", "100,7,0"})
  void multiplies(int m, int n, int k) {
    var a = new Random(1).ints((long) m * k, -4, 5).asDoubleStream().toArray();
    var b = new Random(2).ints((long) n * k, -4, 5).asDoubleStream().toArray();
    var c = Simulate.kernel(new TiledGemm()).in("A", a, m, k).in("B", b, n, k).out("C", m, n)
        .grid(Math.ceilDiv(m, 64), Math.ceilDiv(n, 64)).run().requireClean().doubles("C");
    for (int i = 0; i < m * n; i++) {
      double sum = 0;
      for (int d = 0; d < k; d++) sum += a[i / n * k + d] * b[i % n * k + d];
      assertEquals(sum, c[i], "element " + i);
    }
  }
}
