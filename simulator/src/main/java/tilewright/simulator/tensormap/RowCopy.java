package tilewright.simulator.tensormap;

import java.util.Arrays;
import java.util.stream.IntStream;
import tilewright.ptx.tensormap.OutOfBoundsFill;
import tilewright.ptx.tensormap.SwizzleMode;
import tilewright.ptx.tensormap.TensorElement;

/** Moves rows between global memory and their places in shared memory. */
public final class RowCopy {
  /** Bytes that stay together in shared memory. */
  public static final int UNIT = 16;
  private static final int FLIPPED_UNIT = 8;
  /** The contents of padding: nothing that a program may rely on. */
  private static final byte PADDING = (byte) 0xCD;

  private RowCopy() {}

  /**
   * A row as it lies in shared memory before the swizzle.
   *
   * @param at where in {@code global} its first byte inside the tensor lies
   */
  public static byte[] image(CopyFormat f, BoxRow row, byte[] global, int at) {
    var image = new byte[row.bytes()];
    if (row.inside() != row.bytes() && f.fill() == OutOfBoundsFill.NAN) fillNan(image);
    if (f.element().isPadded()) {
      unpack(f.element(), global, at, image, row.first(), row.inside());
    } else {
      System.arraycopy(global, at, image, row.first(), row.inside());
      LoadedValues.convert(f.element(), image, row.first(), row.inside());
    }
    return image;
  }

  /** The bytes of a row that lie in the tensor, as global memory has them. */
  public static byte[] content(CopyFormat f, BoxRow row, byte[] image) {
    var inside = Arrays.copyOfRange(image, row.first(), row.first() + row.inside());
    return f.element() == TensorElement.U6_ALIGN16B ? packed6(inside) : inside;
  }

  /** Puts a row's image into its places; {@code base} is the box's address in shared memory. */
  public static void scatter(CopyFormat f, BoxRow row, byte[] image, byte[] shared, int base) {
    int unit = unit(f);
    for (int k = 0; k < image.length; k += unit) {
      System.arraycopy(image, k, shared, SharedSwizzle.apply(f.swizzle(), base + row.shared() + k), unit);
    }
  }

  /** Takes a row's image from its places. */
  public static byte[] gather(CopyFormat f, BoxRow row, byte[] shared, int base) {
    var image = new byte[row.bytes()];
    int unit = unit(f);
    for (int k = 0; k < image.length; k += unit) {
      System.arraycopy(shared, SharedSwizzle.apply(f.swizzle(), base + row.shared() + k), image, k, unit);
    }
    return image;
  }

  /** Where the {@link #UNIT units} of a row that lie in the tensor are in shared memory. */
  public static int[] units(CopyFormat f, BoxRow row, int base) {
    // A mode that swaps the halves of a unit leaves the unit in its place.
    return IntStream.range(row.first() / UNIT, Math.ceilDiv(row.first() + row.inside(), UNIT))
        .map(unit -> SharedSwizzle.apply(f.swizzle(), base + row.shared() + UNIT * unit) & -UNIT).toArray();
  }

  private static int unit(CopyFormat f) {
    return f.swizzle() == SwizzleMode.B128_ATOM_32B_FLIP_8B ? FLIPPED_UNIT : UNIT;
  }

  private static void unpack(TensorElement element, byte[] global, int at, byte[] image, int first, int count) {
    int packed = UNIT * element.bits() / element.sharedBits();
    for (int k = 0; k < count; k += UNIT) {
      System.arraycopy(global, at + k / UNIT * packed, image, first + k, packed);
      Arrays.fill(image, first + k + packed, first + k + UNIT, PADDING);
    }
  }

  /** The low six bits of every byte, without gaps. */
  private static byte[] packed6(byte[] bytes) {
    var packed = new byte[bytes.length / 4 * 3];
    for (int k = 0; k < bytes.length; k += 4) {
      int word = bytes[k] & 63 | (bytes[k + 1] & 63) << 6 | (bytes[k + 2] & 63) << 12 | (bytes[k + 3] & 63) << 18;
      for (int i = 0; i < 3; i++) packed[k / 4 * 3 + i] = (byte) (word >>> 8 * i);
    }
    return packed;
  }

  /** Every sixteen bits are 7FF7, whatever the element type (as an H200 has it). */
  private static void fillNan(byte[] image) {
    for (int k = 0; k < image.length; k += 2) {
      image[k] = (byte) 0xF7;
      image[k + 1] = 0x7F;
    }
  }
}
