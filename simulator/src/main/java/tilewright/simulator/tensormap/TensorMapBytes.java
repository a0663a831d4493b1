package tilewright.simulator.tensormap;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.function.IntFunction;
import tilewright.ptx.tensormap.Interleave;
import tilewright.ptx.tensormap.OutOfBoundsFill;
import tilewright.ptx.tensormap.SwizzleMode;
import tilewright.ptx.tensormap.TensorElement;

/**
 * The 128 bytes of a tensor map. The order is the simulator's own: programs must not look inside, and the hardware's is
 * not documented.
 */
public final class TensorMapBytes {
  public static final int SIZE = 128;
  /** The alignment of a tensor map's address, in bytes. */
  public static final int ALIGNMENT = 64;
  private static final int MAGIC = 0x50414D54;
  private static final byte[] ZEROS = new byte[SIZE];

  private TensorMapBytes() {}

  public static byte[] encode(TensorDescriptor d) {
    return encode(TensorMapDraft.of(d));
  }

  public static byte[] encode(TensorMapDraft draft) {
    var d = draft.descriptor();
    var b = ByteBuffer.allocate(SIZE).order(ByteOrder.LITTLE_ENDIAN);
    b.putInt(MAGIC).putLong(d.address());
    b.put((byte) d.mode().ordinal()).put((byte) d.rank()).put((byte) d.element().ordinal());
    b.put((byte) d.interleave().ordinal()).put((byte) d.swizzle().ordinal()).put((byte) d.fill().ordinal());
    // A dimension may have 2^32 elements.
    for (long dim : d.dims()) b.putInt((int) (dim - 1));
    for (long stride : d.strides()) b.putLong(stride);
    for (int step : d.elementStrides()) b.putInt(step);
    for (int extent : d.box()) b.putShort((short) extent);
    for (int corner : d.lowerCorner()) b.putShort((short) corner);
    for (int corner : d.upperCorner()) b.putShort((short) corner);
    b.putShort((short) d.channels()).putShort((short) d.pixels());
    b.putLong(draft.set());
    return b.array();
  }

  /** Decodes the bytes at an offset, or returns nothing if they are neither zeros nor what a tensor map was made of. */
  public static Optional<TensorMapDraft> decode(byte[] bytes, int offset) {
    if (Arrays.equals(bytes, offset, offset + SIZE, ZEROS, 0, SIZE)) return Optional.of(TensorMapDraft.blank());
    var b = ByteBuffer.wrap(bytes, offset, SIZE).order(ByteOrder.LITTLE_ENDIAN);
    if (b.getInt() != MAGIC) return Optional.empty();
    long address = b.getLong();
    int mode = b.get();
    int rank = b.get();
    int element = b.get();
    int interleave = b.get();
    int swizzle = b.get();
    int fill = b.get();
    if (!known(mode, AccessMode.values()) || !known(element, TensorElement.values())
        || !known(interleave, Interleave.values()) || !known(swizzle, SwizzleMode.values())
        || !known(fill, OutOfBoundsFill.values()) || rank < 1 || rank > TensorDescriptor.MOST_DIMENSIONS) {
      return Optional.empty();
    }
    var descriptor = new TensorDescriptor(AccessMode.values()[mode], address, rank, TensorElement.values()[element],
        Interleave.values()[interleave], SwizzleMode.values()[swizzle], OutOfBoundsFill.values()[fill],
        list(5, _ -> Integer.toUnsignedLong(b.getInt()) + 1), list(4, _ -> b.getLong()), list(5, _ -> b.getInt()),
        list(5, _ -> (int) b.getShort()), list(3, _ -> (int) b.getShort()), list(3, _ -> (int) b.getShort()),
        b.getShort(), b.getShort());
    return Optional.of(new TensorMapDraft(descriptor, b.getLong()));
  }

  private static boolean known(int ordinal, Enum<?>[] values) {
    return ordinal >= 0 && ordinal < values.length;
  }

  private static <N> List<N> list(int size, IntFunction<N> next) {
    var numbers = new ArrayList<N>();
    for (int i = 0; i < size; i++) numbers.add(next.apply(i));
    return numbers;
  }
}
