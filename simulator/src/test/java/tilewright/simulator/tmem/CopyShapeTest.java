package tilewright.simulator.tmem;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.Arrays;
import org.junit.jupiter.api.Test;

/** Which row goes where, against CuTe's copy traits: lane digits with their strides in lanes and in rows. */
class CopyShapeTest {
  private static void agrees(CopyShape shape, Strided lanes, Strided rows) {
    int[] expected = new int[128];
    Arrays.fill(expected, -1);
    for (int i = 0; i < lanes.size(); i++) expected[lanes.at(i)] = rows.at(i);
    for (int lane = 0; lane < 128; lane++) assertEquals(expected[lane], shape.row(lane), shape + " lane " + lane);
  }

  @Test
  void rowsGoWhereCuTeSays() {
    agrees(CopyShape.LANES_128_BITS_256, Strided.of(128, 1), Strided.of(128, 1));
    agrees(CopyShape.LANES_128_BITS_128, Strided.of(128, 1), Strided.of(128, 1));
    agrees(CopyShape.LANES_4_BITS_256, Strided.of(4, 32), Strided.of(4, 1));
    agrees(CopyShape.LANES_32_BITS_128, Strided.of(32, 4, 1, 32), Strided.of(32, 4, 1, 0));
    agrees(CopyShape.LANES_64_BITS_128_02_13, Strided.of(64, 2, 1, 64), Strided.of(64, 2, 1, 0));
    agrees(CopyShape.LANES_64_BITS_128_01_23, Strided.of(32, 2, 2, 1, 64, 32), Strided.of(32, 2, 2, 1, 32, 0));
  }

  @Test
  void theShapeNeedsItsMulticast() {
    assertEquals(CopyShape.LANES_32_BITS_128, CopyShape.parse("32x128b", "warpx4").orElseThrow());
    assertEquals(true, CopyShape.parse("32x128b", "").isEmpty());
    assertEquals(true, CopyShape.parse("64x128b", "warpx4").isEmpty());
    assertEquals(true, CopyShape.parse("128x256b", "warpx4").isEmpty());
  }
}
