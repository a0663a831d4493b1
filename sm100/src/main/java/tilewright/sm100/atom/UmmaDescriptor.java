package tilewright.sm100.atom;

import java.util.List;
import tilewright.async.atom.MatrixDescriptor;
import tilewright.kernel.I32;
import tilewright.kernel.Scope;
import tilewright.kernel.SharedTensor;
import tilewright.kernel.TraceException;
import tilewright.layout.OffsetMap;
import tilewright.numerics.ElementType;
import tilewright.ptx.Operand;
import tilewright.ptx.PtxType;
import tilewright.ptx.tensormap.SwizzleMode;

/**
 * How {@code tcgen05.mma} finds a factor in shared memory (PTX ISA, Shared memory descriptor; SM100): the strides and
 * the swizzle are those of {@code wgmma}, derived from the tile's layout and compared with it; their places in the word
 * are others.
 */
public record UmmaDescriptor(MatrixDescriptor matrix) {
  private static final int GRANULE = 16;
  private static final int LEADING_SHIFT = 16;
  private static final int VERSION = 1 << 14;
  private static final int SWIZZLE_SHIFT = 29;
  /** In the upper half: the leading dimension has an address, not an offset. */
  private static final int ABSOLUTE = 1 << 20;
  /** The last of three runs of 16 bytes. */
  private static final int LAST_RUN = 32;
  /** Swizzle modes in the order of their codes; the codes in between do not occur. */
  private static final List<SwizzleMode> SWIZZLES = List.of(SwizzleMode.NONE, SwizzleMode.B128_ATOM_32B,
      SwizzleMode.B128, SwizzleMode.B128, SwizzleMode.B64, SwizzleMode.B64, SwizzleMode.B32);

  /**
   * The descriptor of every instruction's part of a tile.
   *
   * @param tile (rows, k, …), rows being M of A or N of B
   * @param rows that one instruction takes from this CTA
   * @throws TraceException if no descriptor describes the layout, with one that can be described
   */
  public static UmmaDescriptor of(ElementType container, OffsetMap tile, int rows) {
    return new UmmaDescriptor(MatrixDescriptor.of(container, tile, rows, matrix -> isTaken(container, matrix)));
  }

  /** Chunks of 32 bytes are for neighbours of 32 bits along m or n, and those take no others. */
  private static boolean isTaken(ElementType container, MatrixDescriptor matrix) {
    boolean wide = !matrix.kMajor() && container.bits() == 32;
    return wide == (matrix.swizzle() == SwizzleMode.B128_ATOM_32B);
  }

  public boolean kMajor() {
    return matrix.kMajor();
  }

  /** The word's upper half. */
  long high() {
    return matrix.stride() / GRANULE | VERSION | (long) SWIZZLES.indexOf(matrix.swizzle()) << SWIZZLE_SHIFT;
  }

  /** A 64-bit register with the descriptor of the part that begins at a coordinate of the tile. */
  public Operand.Register register(Scope k, SharedTensor tile, I32... coordinate) {
    return register(k, tile.placeOf(coordinate).dividedBy(GRANULE).plus(matrix.leading() / GRANULE << LEADING_SHIFT),
        high());
  }

  /**
   * A 64-bit register with the descriptor of 48 bytes of each row, in a tile of swizzled rows of 128 bytes: the runs of
   * 16 bytes from the end of a swizzled row on, or where they all lie in one the third, have an address of their own
   * (PTX ISA, Absolute address mode for K dimension being 48B; SM103).
   *
   * @param begin byte of the tile's rows
   */
  public Operand.Register divided(Scope k, SharedTensor tile, int begin, I32 stage) {
    if (!matrix.kMajor() || matrix.swizzle() != SwizzleMode.B128) {
      throw new TraceException("48 bytes along k lie in swizzled rows of 128 bytes, not as " + matrix + " says");
    }
    int left = SwizzleMode.B128.span() - begin % SwizzleMode.B128.span();
    int second = begin + Math.min(left, LAST_RUN);
    var zero = k.constant(0);
    var low = tile.placeOf(zero, k.constant(begin), stage).dividedBy(GRANULE)
        .plus(tile.placeOf(zero, k.constant(second), stage).dividedBy(GRANULE).times(1 << LEADING_SHIFT));
    return register(k, low, high() | ABSOLUTE);
  }

  static Operand.Register register(Scope k, I32 low, long high) {
    var upper = k.newRegister(PtxType.B32);
    k.emit("mov.b32", upper, new Operand.Integer(high));
    var descriptor = k.newRegister(PtxType.B64);
    k.emit("mov.b64", descriptor, new Operand.Vector(List.of(low.register(), upper)));
    return descriptor;
  }
}
