package tilewright.async.atom;

import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import tilewright.kernel.I32;
import tilewright.kernel.Scope;
import tilewright.kernel.SharedTensor;
import tilewright.kernel.TraceException;
import tilewright.layout.ComposedLayout;
import tilewright.layout.Layout;
import tilewright.layout.OffsetMap;
import tilewright.layout.f2.Swizzle;
import tilewright.numerics.ElementType;
import tilewright.ptx.Operand;
import tilewright.ptx.PtxType;
import tilewright.ptx.tensormap.SwizzleMode;

/**
 * How {@code wgmma} finds an operand in shared memory: two strides between core matrices of 8×16 bytes and a swizzle
 * (PTX ISA, Asynchronous Warpgroup Level Matrix Shared Memory Layout). It is derived from the tile's layout, and the
 * layout is compared with what the hardware will read.
 *
 * @param kMajor whether neighbours run along k
 * @param inner bytes between core matrices along the contiguous mode; 16 where a swizzled row holds all of them
 * @param outer bytes between core matrices along the other mode
 */
public record MatrixDescriptor(SwizzleMode swizzle, boolean kMajor, int inner, int outer) {
  private static final int GRANULE = 16;
  private static final int CORE = 8;
  private static final int LEADING_SHIFT = 16;
  private static final int SWIZZLE_SHIFT = 30;
  private static final int STRIDE_LIMIT = 1 << 18;
  private static final List<SwizzleMode> SWIZZLES = List.of(SwizzleMode.NONE, SwizzleMode.B128, SwizzleMode.B64,
      SwizzleMode.B32);

  /**
   * The descriptor of every instruction's part of a tile.
   *
   * @param tile (rows, k, …), rows being M of A or N of B
   * @param rows of one instruction
   * @throws TraceException if no descriptor describes the layout, with one that can be described
   */
  public static MatrixDescriptor of(ElementType type, OffsetMap tile, int rows) {
    return of(type, tile, rows, depth(type));
  }

  /** Describes a tile for instructions of another depth: B's, where A is sparse, has twice as much of k. */
  public static MatrixDescriptor of(ElementType type, OffsetMap tile, int rows, int depth) {
    return of(new Part(type, tile, rows, depth),
        d -> SWIZZLES.contains(d.swizzle) && (d.kMajor || type.bits() == 16));
  }

  /** Describes a tile for an instruction that takes only some orders and swizzles. */
  public static MatrixDescriptor of(ElementType type, OffsetMap tile, int rows, Predicate<MatrixDescriptor> taken) {
    return of(new Part(type, tile, rows, depth(type)), taken);
  }

  /** K of an instruction whose operands are dense. */
  private static int depth(ElementType type) {
    return 2 * GRANULE / type.bytes();
  }

  private static MatrixDescriptor of(Part part, Predicate<MatrixDescriptor> taken) {
    return part.swizzleMode().stream()
        .flatMap(mode -> Stream.of(part.candidate(mode, true), part.candidate(mode, false)))
        .filter(taken).filter(part::isDescribedBy).findFirst()
        .orElseThrow(() -> new TraceException(
            "no wgmma descriptor describes " + part.rows + "×" + part.depth + " parts of " + part.type.text()
                + " tile " + part.tile + ": neighbours along k in swizzled rows would be " + part.legal()));
  }

  /** The leading dimension byte offset, as the word has it. */
  public int leading() {
    return swapped() ? outer : inner;
  }

  /** The stride dimension byte offset, as the word has it. */
  public int stride() {
    return swapped() ? inner : outer;
  }

  /** Without a swizzle, neighbours along m or n have the two strides change places. */
  private boolean swapped() {
    return swizzle == SwizzleMode.NONE && !kMajor;
  }

  /** A 64-bit register with the descriptor of the part that begins at a coordinate of the tile. */
  public Operand.Register register(Scope k, SharedTensor tile, I32... coordinate) {
    var low = tile.placeOf(coordinate).dividedBy(GRANULE).plus(leading() / GRANULE << LEADING_SHIFT);
    int high = stride() / GRANULE | SWIZZLES.indexOf(swizzle) << SWIZZLE_SHIFT;
    var upper = k.newRegister(PtxType.B32);
    k.emit("mov.b32", upper, new Operand.Integer(high));
    var descriptor = k.newRegister(PtxType.B64);
    k.emit("mov.b64", descriptor, new Operand.Vector(List.of(low.register(), upper)));
    return descriptor;
  }

  /** The offset in elements, before the swizzle, that the hardware computes for an element of a part. */
  private long offset(ElementType type, int row, int depth) {
    int along = kMajor ? depth : row;
    int across = kMajor ? row : depth;
    // Core matrices side by side in a swizzled row count as one wide core matrix.
    int width = width(swizzle, type);
    int core = core(swizzle);
    return along % width + across % core * (long) width
        + (along / width * (long) inner + across / core * (long) outer) / type.bytes();
  }

  private static int width(SwizzleMode swizzle, ElementType type) {
    return Math.max(GRANULE, swizzle.span()) / type.bytes();
  }

  /** Rows of a core matrix: the pattern of chunks of 32 bytes repeats after four. */
  private static int core(SwizzleMode swizzle) {
    return swizzle == SwizzleMode.B128_ATOM_32B ? CORE / 2 : CORE;
  }

  /** One instruction's operand within a tile. */
  private static final class Part {
    private final ElementType type;
    private final OffsetMap tile;
    private final long[] byRow;
    private final long[] byDepth;
    private final Swizzle swizzle;
    private final int rows;
    private final int depth;

    Part(ElementType type, OffsetMap tile, int rows, int depth) {
      this.type = type;
      this.tile = tile;
      this.rows = rows;
      this.depth = depth;
      swizzle = tile instanceof ComposedLayout composed ? composed.swizzle() : Swizzle.IDENTITY;
      var plain = switch (tile) {
        case ComposedLayout composed -> composed.layout();
        case Layout layout -> layout;
      };
      byRow = offsets(plain.mode(0));
      byDepth = offsets(plain.mode(1));
    }

    Optional<SwizzleMode> swizzleMode() {
      if (tile instanceof ComposedLayout composed && composed.offset() != 0) return Optional.empty();
      return SwizzledRows.mode(swizzle, type);
    }

    MatrixDescriptor candidate(SwizzleMode mode, boolean kMajor) {
      int width = width(mode, type);
      long inner = (kMajor ? depth : rows) > width ? (kMajor ? at(0, width) : at(width, 0)) * type.bytes() : GRANULE;
      int core = core(mode);
      long outer = (kMajor ? rows : depth) > core ? (kMajor ? at(core, 0) : at(0, core)) * type.bytes() : GRANULE;
      return new MatrixDescriptor(mode, kMajor, Math.toIntExact(inner), Math.toIntExact(outer));
    }

    private long at(int row, int k) {
      return byRow[row] + byDepth[k];
    }

    private static long[] offsets(Layout mode) {
      return LongStream.range(0, mode.size()).map(mode::apply).toArray();
    }

    boolean isDescribedBy(MatrixDescriptor d) {
      if (byRow.length % rows != 0 || byDepth.length % depth != 0) return false;
      if (d.inner % GRANULE != 0 || d.outer % GRANULE != 0) return false;
      if (Math.min(d.inner, d.outer) < 0 || Math.max(d.inner, d.outer) >= STRIDE_LIMIT) return false;
      // Both offsets are a sum of one along rows and one along k, so what holds for each of these holds for all.
      for (int row = 0; row < byRow.length; row++) {
        int first = row - row % rows;
        if (byRow[row] - byRow[first] != d.offset(type, row - first, 0)) return false;
      }
      for (int k = 0; k < byDepth.length; k++) {
        int start = k - k % depth;
        if (byDepth[k] - byDepth[start] != d.offset(type, 0, k - start)) return false;
      }
      return true;
    }

    ComposedLayout legal() {
      return SwizzledRows.alongColumns(type, byRow.length, Math.ceilDiv(byDepth.length, depth) * depth, 1);
    }
  }
}
