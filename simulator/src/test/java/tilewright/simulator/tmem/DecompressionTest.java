package tilewright.simulator.tmem;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import java.math.BigInteger;
import java.util.Random;
import org.junit.jupiter.api.Test;

class DecompressionTest {
  /** The packed bits as one number. */
  private static BigInteger number(byte[] littleEndian, int bytes) {
    var sum = BigInteger.ZERO;
    for (int i = 0; i < bytes; i++) {
      sum = sum.add(BigInteger.valueOf(littleEndian[i] & 0xFF).shiftLeft(Byte.SIZE * i));
    }
    return sum;
  }

  private static void agrees(Decompression decompression, int width, int shift) {
    var chunk = new byte[20];
    new Random(width).nextBytes(chunk);
    var packed = number(java.util.Arrays.copyOfRange(chunk, 3, 19), 2 * width);
    var untouched = new byte[] {chunk[0], chunk[1], chunk[2], chunk[19]};
    decompression.widen(chunk, 3);
    for (int i = 0; i < 16; i++) {
      int element = packed.shiftRight(width * i).intValue() & (1 << width) - 1;
      assertEquals(element << shift, chunk[3 + i] & 0xFF, "element " + i);
    }
    assertArrayEquals(untouched, new byte[] {chunk[0], chunk[1], chunk[2], chunk[19]});
  }

  @Test
  void fourBitsComeToLieInTheMiddle() {
    agrees(Decompression.B4X16_P64, 4, 2);
  }

  @Test
  void sixBitsComeToLieBelow() {
    agrees(Decompression.B6X16_P32, 6, 0);
  }

  @Test
  void withoutItBytesStay() {
    var chunk = new byte[] {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16};
    var before = chunk.clone();
    Decompression.NONE.widen(chunk, 0);
    assertArrayEquals(before, chunk);
  }
}
