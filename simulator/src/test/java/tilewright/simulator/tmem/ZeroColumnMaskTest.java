package tilewright.simulator.tmem;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import org.junit.jupiter.api.Test;

/** The examples of the PTX ISA, Zero-Column Mask Descriptor. */
class ZeroColumnMaskTest {
  private static long descriptor(int starts, int firsts, int nonZero, int skip, int use, int shift) {
    return starts & 0xFFFFFFFFL | (long) firsts << 32 | (long) nonZero << 39 | (long) skip << 40 | (long) use << 48
        | (long) shift << 56;
  }

  /** The lowest bits of a sub-mask, the highest first. */
  private static String bits(ZeroColumnMask mask, int part, int width, int count) {
    var text = new StringBuilder();
    for (int i = count - 1; i >= 0; i--) text.append(mask.zeros().get(part * width + i) ? '1' : '0');
    return text.toString();
  }

  @Test
  void withoutAMaskAllColumnsCount() {
    assertEquals(0, ZeroColumnMask.of(descriptor(0, 0, 0, 4, 3, 0), 128, 256).zeros().cardinality());
  }

  @Test
  void oneMaskFor128Rows() {
    var mask = ZeroColumnMask.of(descriptor(0, 0, 1, 2, 3, 0), 128, 256);
    assertEquals("11100001110000", bits(mask, 0, 256, 14));
  }

  @Test
  void twoMasksFor64Rows() {
    var mask = ZeroColumnMask.of(descriptor(0, 1, 1, 2, 3, 0), 64, 128);
    assertEquals("11100001110000111", bits(mask, 0, 64, 17));
    assertEquals("000011100001110000", bits(mask, 1, 64, 18));
  }

  @Test
  void fourMasksAndAShiftFor32Rows() {
    var mask = ZeroColumnMask.of(descriptor(0x01020100, 0b0011, 1, 2, 3, 2), 32, 128);
    assertEquals("00001110000111", bits(mask, 0, 32, 14));
    assertEquals("0000111000011", bits(mask, 1, 32, 13));
    assertEquals("111000011100", bits(mask, 2, 32, 12));
    assertEquals("1110000111000", bits(mask, 3, 32, 13));
    assertEquals(2, mask.shift());
  }

  @Test
  void aShiftBeyondTheLimitIsRefused() {
    assertEquals(32, ZeroColumnMask.of(descriptor(0, 0, 0, 0, 0, 32), 128, 64).shift());
    assertThrows(IllegalArgumentException.class, () -> ZeroColumnMask.of(descriptor(0, 0, 0, 0, 0, 33), 128, 64));
    assertThrows(IllegalArgumentException.class, () -> ZeroColumnMask.of(descriptor(0, 0, 0, 0, 0, 17), 32, 64));
  }
}
