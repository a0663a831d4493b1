package tilewright.simulator.blackwell;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Copies from shared memory write what their shape and multicast say, and nothing else. */
class TensorCopyTest {
  private static final int COLUMN = 40;

  private static int word(byte[] memory, int at) {
    return memory[at] & 0xFF | (memory[at + 1] & 0xFF) << 8 | (memory[at + 2] & 0xFF) << 16 | memory[at + 3] << 24;
  }

  /** The row that a lane gets; -1 for none. */
  private static int row(String shape, int lane) {
    return switch (shape) {
      case "4x256b" -> lane % 32 == 0 ? lane / 32 : -1;
      case "32x128b.warpx4" -> lane % 32;
      case "64x128b.warpx2::02_13" -> lane % 64;
      case "64x128b.warpx2::01_23" -> lane % 32 + (lane < 64 ? 0 : 32);
      default -> lane;
    };
  }

  private static void check(String shape, int rowBytes, int ctas) {
    var machine = new TensorMachine(ctas, 8192, TensorMachine.descriptor(64, 128, 16 * rowBytes / 2, 0));
    new Random(rowBytes).nextBytes(machine.shared);
    var expected = machine.tensor.clone();
    for (int cta = 0; cta < ctas; cta++) {
      for (int lane = 0; lane < 128; lane++) {
        int row = row(shape, lane);
        if (row < 0) continue;
        for (int c = 0; c < rowBytes / 4; c++) {
          int at = cta * 8192 + 64 + row / 8 * (16 * rowBytes / 2) + c / 4 * 128 + row % 8 * 16 + c % 4 * 4;
          expected[TensorMachine.cell(cta, lane, COLUMN + c)] = word(machine.shared, at);
        }
      }
    }
    var result = machine.run("  add.u32 %r10, %tm, " + COLUMN + ";\n  tcgen05.cp.cta_group::" + ctas + "." + shape
        + " [%r10], %l10;", Blackwell.PLAIN);
    assertEquals(List.of(), result.findings());
    for (int i = 0; i < expected.length; i++) {
      assertEquals(expected[i], machine.tensor[i], shape + " lane " + i / 512 + " column " + i % 512);
    }
  }

  @ParameterizedTest
  @CsvSource({"128x256b, 32", "128x128b, 16", "4x256b, 32", "32x128b.warpx4, 16", "64x128b.warpx2::02_13, 16",
      "64x128b.warpx2::01_23, 16"})
  void rowsGoToTheirLanes(String shape, int rowBytes) {
    check(shape, rowBytes, 1);
  }

  @Test
  void bothCtasOfAPairCopyTheirOwn() {
    check("128x256b", 32, 2);
    check("32x128b.warpx4", 16, 2);
  }

  @ParameterizedTest
  @CsvSource({"b4x16_p64, 4, 2", "b6x16_p32, 6, 0"})
  void elementsAreWidenedToBytes(String format, int width, int shift) {
    var machine = new TensorMachine(1, 4096, TensorMachine.descriptor(0, 128, 128, 0));
    new Random(width).nextBytes(machine.shared);
    var result = machine.run("  tcgen05.cp.cta_group::1.128x128b.b8x16." + format + " [%tm], %l10;", Blackwell.PLAIN);
    assertEquals(List.of(), result.findings());
    for (int lane = 0; lane < 128; lane++) {
      for (int i = 0; i < 16; i++) {
        int bit = i * width;
        int at = lane * 16 + bit / 8;
        int pair = machine.shared[at] & 0xFF | (machine.shared[at + 1] & 0xFF) << 8;
        int expected = (pair >>> bit % 8 & (1 << width) - 1) << shift;
        int word = machine.tensor[TensorMachine.cell(0, lane, i / 4)];
        assertEquals(expected, word >>> 8 * (i % 4) & 0xFF, "lane " + lane + " element " + i);
      }
    }
  }
}
