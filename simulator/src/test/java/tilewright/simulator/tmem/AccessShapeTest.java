package tilewright.simulator.tmem;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.HashSet;
import org.junit.jupiter.api.Test;

/** The maps of loads and stores against CuTe's copy traits: (thread, bit of its registers) to the bit of the tile. */
class AccessShapeTest {
  private static final int LANES = 32;

  private static void agrees(AccessShape shape, int repeats, Strided threads, Strided bits) {
    int rowBits = shape.columns(repeats) * (shape.split() ? 2 : 1) * Integer.SIZE;
    int registers = shape.registers(repeats);
    assertEquals(LANES, threads.size());
    assertEquals(registers * Integer.SIZE, bits.size());
    for (int t = 0; t < LANES; t++) {
      for (int r = 0; r < registers; r++) {
        int bit = threads.at(t) + bits.at(Integer.SIZE * r);
        assertEquals(bit / rowBits, shape.lane(t, r), shape + " x" + repeats + " lane of " + t + ", " + r);
        assertEquals(bit % rowBits / Integer.SIZE, shape.column(t, r, repeats),
            shape + " x" + repeats + " column of " + t + ", " + r);
      }
    }
  }

  @Test
  void lanes32Bits32HoldARowAThread() {
    for (int n = 1; n <= 128; n *= 2) {
      agrees(AccessShape.LANES_32_BITS_32, n, Strided.of(32, 32 * n), Strided.of(32 * n, 1));
    }
  }

  @Test
  void lanes16Bits64AreCuTes() {
    for (int n = 1; n <= 128; n *= 2) {
      agrees(AccessShape.LANES_16_BITS_64, n, Strided.of(2, 2, 8, 512 * n, 32, 64 * n), Strided.of(32, n, 1, 64));
    }
  }

  @Test
  void lanes16Bits128AreCuTes() {
    for (int n = 1; n <= 64; n *= 2) {
      agrees(AccessShape.LANES_16_BITS_128, n, Strided.of(4, 8, 32, 128 * n),
          Strided.of(32, 2, n, 1, 1024 * n, 128));
    }
  }

  @Test
  void lanes16Bits256AreCuTes() {
    for (int n = 1; n <= 32; n *= 2) {
      agrees(AccessShape.LANES_16_BITS_256, n, Strided.of(4, 8, 64, 256 * n),
          Strided.of(64, 2, n, 1, 2048 * n, 256));
    }
  }

  @Test
  void lanes16Bits32TwiceAreCuTes() {
    for (int n = 1; n <= 128; n *= 2) {
      agrees(AccessShape.LANES_16_BITS_32_TWICE, n, Strided.of(16, 2, 64 * n, 32 * n), Strided.of(32 * n, 1));
    }
  }

  @Test
  void everyShapeMovesEachCellOnce() {
    for (var shape : AccessShape.values()) {
      var cells = new HashSet<Integer>();
      for (int t = 0; t < LANES; t++) {
        for (int r = 0; r < shape.registers(2); r++) cells.add(shape.lane(t, r) * 1000 + shape.column(t, r, 100));
      }
      assertEquals(LANES * shape.registers(2), cells.size(), shape.text());
    }
  }

  @Test
  void namesAreThoseOfTheInstruction() {
    for (var shape : AccessShape.values()) assertEquals(shape, AccessShape.parse(shape.text()).orElseThrow());
    assertEquals(true, AccessShape.parse("32x64b").isEmpty());
  }
}
