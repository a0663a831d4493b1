package tilewright.simulator.tensorcore;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import tilewright.layout.Layout;

/**
 * Descriptors and the addresses of elements against CuTe's canonical layouts, written down here in bytes: of units of T
 * = 16 bytes, with the absolute address swizzled. (PTX ISA, Strides; cute/atom/mma_traits_sm90_gmma.)
 */
class MatrixLayoutTest {
  private static final int START = 0x2400;
  private static final int LEADING = 0x1230;
  private static final int STRIDE = 0x3450;

  private static long bits(int start, int baseOffset, long code) {
    return start >> 4 | (long) (LEADING >> 4) << 16 | (long) (STRIDE >> 4) << 32 | (long) baseOffset << 49 | code << 62;
  }

  private static String text(String layout) {
    return layout.replace(';', ',').replace("L", "" + LEADING).replace("S", "" + STRIDE);
  }

  @ParameterizedTest
  @CsvSource({"0, ((8;4);2):((16;S);L), 0", "3, ((8;4);2):((32;S);16), 1", "2, ((8;4);2):((64;S);16), 2",
      "1, ((8;4);2):((128;S);16), 3"})
  void rowsOfDepthLieAsInTheCanonicalLayout(long code, String layout, int swizzle) {
    var canonical = Layout.parse(text(layout));
    var permutation = new tilewright.layout.f2.Swizzle(swizzle, 4, 3);
    var operand = new MatrixLayout(MatrixDescriptor.hopper(bits(START, 0, code)), true, 16);
    for (int outer = 0; outer < 32; outer++) {
      for (int unit = 0; unit < 2; unit++) {
        long expected = permutation.apply(START + canonical.apply(outer + 32L * unit));
        assertEquals(expected, operand.address(outer, 8 * unit), outer + "," + unit);
      }
    }
  }

  @ParameterizedTest
  @CsvSource({"0, ((1;32);(8;2)):((0;S);(16;L)), 0", "3, ((2;16);(8;2)):((16;L);(32;S)), 1",
      "2, ((4;8);(8;2)):((16;L);(64;S)), 2", "1, ((8;4);(8;2)):((16;L);(128;S)), 3"})
  void rowsOfTheOtherExtentLieAsInTheCanonicalLayout(long code, String layout, int swizzle) {
    var canonical = Layout.parse(text(layout));
    var permutation = new tilewright.layout.f2.Swizzle(swizzle, 4, 3);
    var operand = new MatrixLayout(MatrixDescriptor.hopper(bits(START, 0, code)), false, 16);
    for (int unit = 0; unit < 32; unit++) {
      for (int depth = 0; depth < 16; depth++) {
        long expected = permutation.apply(START + canonical.apply(unit + 32L * depth));
        assertEquals(expected, operand.address(8 * unit, depth), unit + "," + depth);
      }
    }
  }

  @Test
  void aPatternThatStartsLaterIsSwizzledFromItsOwnStart() {
    var aligned = new MatrixLayout(MatrixDescriptor.hopper(bits(0x4000, 0, 1)), true, 8);
    var shifted = new MatrixLayout(MatrixDescriptor.hopper(bits(0x4000 + 3 * 128, 3, 1)), true, 8);
    for (int outer = 0; outer < 8; outer++) {
      assertEquals(aligned.address(outer, 16) + 3 * 128, shifted.address(outer, 16), "row " + outer);
    }
  }

  @Test
  void descriptorsOfBlackwellNameMoreSwizzles() {
    long base = bits(START, 0, 0) | 1L << 46;
    assertEquals(Swizzle.NONE, MatrixDescriptor.blackwell(base).swizzle());
    assertEquals(Swizzle.B128_ATOM32, MatrixDescriptor.blackwell(base | 1L << 61).swizzle());
    assertEquals(Swizzle.B128, MatrixDescriptor.blackwell(base | 2L << 61).swizzle());
    assertEquals(Swizzle.B64, MatrixDescriptor.blackwell(base | 4L << 61).swizzle());
    var d = MatrixDescriptor.blackwell(base | 6L << 61 | 1L << 52);
    assertEquals(new MatrixDescriptor(START, LEADING, STRIDE, 0, Swizzle.B32, true), d);
    assertThrows(IllegalArgumentException.class, () -> MatrixDescriptor.blackwell(base | 3L << 61));
    assertThrows(IllegalArgumentException.class, () -> MatrixDescriptor.blackwell(bits(START, 0, 0)));
  }

  @Test
  void atomsOfThirtyTwoBytesMoveByTheTwoBitsAboveTheRow() {
    var permutation = new tilewright.layout.f2.Swizzle(2, 5, 2);
    for (int address = 0; address < 2048; address += 4) {
      assertEquals(permutation.apply(address), Swizzle.B128_ATOM32.apply(address));
    }
  }

  /** CUTLASS, Layout_MN_SW128_32B_Atom: groups of four steps of depth stand one stride apart. */
  @Test
  void chunksOfThirtyTwoBytesRepeatAfterFourSteps() {
    var layout = new MatrixLayout(new MatrixDescriptor(0, 4096, 2048, 0, Swizzle.B128_ATOM32, false), false, 32);
    for (int depth = 0; depth < 8; depth++) {
      for (int outer = 0; outer < 64; outer += 4) {
        int row = depth % 4;
        int chunk = outer % 32 / 8 ^ row;
        assertEquals(depth / 4 * 2048 + outer / 32 * 4096 + row * 128 + chunk * 32 + outer % 8 * 4,
            layout.address(outer, depth), outer + ", " + depth);
      }
    }
  }
}
