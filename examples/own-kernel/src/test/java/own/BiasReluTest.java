package own;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;

import org.junit.jupiter.api.Test;
import tilewright.ops.Simulate;

class BiasReluTest {
  @Test
  void addsTheBiasAndClipsAtZero() {
    float[] x = {1, -2, 3, -4, 5, -6};
    float[] bias = {0.5f, 1, -4};
    var run = Simulate.kernel(new BiasRelu()).in("X", x).in("B", bias).out("Y", 2, 3).run().requireClean();
    assertArrayEquals(new float[] {1.5f, 0, 0, 0, 6, 0}, run.floats("Y"));
  }
}
