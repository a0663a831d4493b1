package tilewright.simulator;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * A matrix operand of {@code wgmma} in an image of shared memory, laid out from the formulas of the PTX ISA (Shared
 * Memory Matrix Layout, Strides), element by element.
 *
 * @param start of the operand, a multiple of 1024
 * @param swizzle bytes: 0, 32, 64 or 128
 * @param depthMajor whether neighbours in depth are neighbours in memory
 * @param bits of an element
 */
record SharedImage(int start, int swizzle, boolean depthMajor, int bits, int leading, int stride) {
  static SharedImage of(int start, int swizzle, boolean depthMajor, int bits, int outer, int depth) {
    int rows = depthMajor ? outer : depth;
    if (swizzle == 0) {
      // Core matrices of 128 bytes: first those of one column of runs, then the next.
      int column = rows / 8 * 128;
      return new SharedImage(start, 0, depthMajor, bits, depthMajor ? column : 128, depthMajor ? 128 : column);
    }
    int pattern = 8 * swizzle;
    return new SharedImage(start, swizzle, depthMajor, bits, rows / 8 * pattern, pattern);
  }

  long descriptor() {
    long code = switch (swizzle) {
      case 128 -> 1;
      case 64 -> 2;
      case 32 -> 3;
      default -> 0;
    };
    return start >> 4 | (long) (leading >> 4) << 16 | (long) (stride >> 4) << 32 | code << 62;
  }

  /** The bit in the image at which the element lies. */
  private int place(int outer, int depth) {
    int along = (depthMajor ? depth : outer) * bits;
    int across = depthMajor ? outer : depth;
    int unit = along / 128;
    int offset;
    if (swizzle == 0) {
      offset = across % 8 * 16 + (depthMajor ? across / 8 * stride + unit * leading
          : unit * stride + across / 8 * leading);
    } else {
      int units = swizzle / 16;
      offset = across % 8 * swizzle + across / 8 * stride + unit / units * leading + unit % units * 16;
      offset ^= (start + offset) / 128 % units * 16;
    }
    return (start + offset) * 8 + along % 128;
  }

  void put(byte[] image, int outer, int depth, int element) {
    var bytes = ByteBuffer.wrap(image).order(ByteOrder.LITTLE_ENDIAN);
    int at = place(outer, depth);
    switch (bits) {
      case 1 -> image[at / 8] = (byte) (image[at / 8] & ~(1 << at % 8) | element << at % 8);
      case 8 -> bytes.put(at / 8, (byte) element);
      case 16 -> bytes.putShort(at / 8, (short) element);
      default -> bytes.putInt(at / 8, element);
    }
  }
}
