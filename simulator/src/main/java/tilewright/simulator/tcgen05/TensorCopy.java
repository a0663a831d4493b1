package tilewright.simulator.tcgen05;

import java.util.List;
import tilewright.simulator.core.Cta;
import tilewright.simulator.core.Warp;
import tilewright.simulator.tmem.CopyShape;
import tilewright.simulator.tmem.Decompression;
import tilewright.simulator.tmem.TmemAddress;

/** {@code tcgen05.cp} and {@code tcgen05.shift} (PTX ISA): rows from shared memory to lanes, and lanes moved by one. */
public final class TensorCopy {
  private static final CopyShape[] SHAPES = CopyShape.values();
  private static final Decompression[] DECOMPRESSIONS = Decompression.values();
  private static final int RUN = Decompression.CHUNK;
  /** Columns of a shift: 32 bytes. */
  private static final int SHIFTED = 8;

  private TensorCopy() {}

  /** A copy under way. */
  static final class Copy extends TensorOperation {
    private final CopyShape shape;
    private final Decompression decompression;
    private final TmemAddress to;
    private final TensorOperand[] from;

    Copy(Warp warp, int lane, int site, Cta[] group, CopyShape shape, Decompression decompression, TmemAddress to,
        TensorOperand[] from) {
      super(warp, lane, site, group);
      this.shape = shape;
      this.decompression = decompression;
      this.to = to;
      this.from = from;
    }

    @Override
    boolean follows(TensorOperation earlier) {
      // No rule orders a copy behind a multiplication; but published kernels overwrite scales so, and hardware obeys.
      if (earlier instanceof TensorProduct) return earlier.isOf(warp, lane);
      return shape == CopyShape.LANES_4_BITS_256 && earlier instanceof Shift;
    }

    @Override
    void run() {
      for (int i = 0; i < group.length; i++) copy(group[i], from[i]);
    }

    private void copy(Cta cta, TensorOperand source) {
      int columns = shape.columns();
      byte[] row = new byte[shape.rowBytes()];
      for (int lane = 0; lane < TmemAddress.LANES; lane++) {
        int r = shape.row(lane);
        if (r < 0) continue;
        for (int run = 0; run * RUN < row.length; run++) {
          System.arraycopy(cta.shared, source.address(r, run), row, run * RUN, RUN);
          decompression.widen(row, run * RUN);
        }
        int at = TensorMemory.cell(to.lane() + lane, to.column());
        for (int c = 0; c < columns; c++) TensorMemory.of(cta).cells[at + c] = word(row, Integer.BYTES * c);
      }
    }

    private static int word(byte[] bytes, int at) {
      int word = 0;
      for (int i = 0; i < Integer.BYTES; i++) word |= (bytes[at + i] & 0xFF) << Byte.SIZE * i;
      return word;
    }

    @Override
    List<TensorOperand> operands() {
      return List.of(from);
    }

    @Override
    void watch(TensorWatch.Access by) {
      for (var cta : group) {
        for (int lane = 0; lane < TmemAddress.LANES; lane += TensorWatch.LANES) {
          int mask = 0;
          for (int i = 0; i < TensorWatch.LANES; i++) if (shape.row(lane + i) >= 0) mask |= 1 << i;
          if (mask != 0) TensorWatch.of(cta).write(by, lane, mask, to.column(), shape.columns());
        }
      }
    }

    @Override
    String verb() {
      return "copies to";
    }

    @Override
    String what() {
      return "a copy to tensor memory";
    }
  }

  /** A shift under way. */
  static final class Shift extends TensorOperation {
    private final TmemAddress at;

    Shift(Warp warp, int lane, int site, Cta[] group, TmemAddress at) {
      super(warp, lane, site, group);
      this.at = at;
    }

    @Override
    boolean follows(TensorOperation earlier) {
      return earlier instanceof TensorProduct;
    }

    @Override
    void run() {
      for (var cta : group) {
        int[] cells = TensorMemory.of(cta).cells;
        for (int lane = at.lane() + TmemAddress.WARP_LANES - 2; lane >= at.lane(); lane--) {
          System.arraycopy(cells, TensorMemory.cell(lane, at.column()), cells,
              TensorMemory.cell(lane + 1, at.column()), SHIFTED);
        }
      }
    }

    @Override
    List<TensorOperand> operands() {
      return List.of();
    }

    @Override
    void watch(TensorWatch.Access by) {
      for (var cta : group) {
        for (int lane = at.lane(); lane < at.lane() + TmemAddress.WARP_LANES; lane += TensorWatch.LANES) {
          TensorWatch.of(cta).write(by, lane, 0, at.column(), SHIFTED);
        }
      }
    }

    @Override
    String verb() {
      return "shifts";
    }

    @Override
    String what() {
      return "a shift of tensor memory";
    }
  }

  /** Issues copies. */
  public static void copy(Warp w, int mask, int[] address, int displacement, long[] descriptor, int shape,
      int decompression, int ctas, int site) {
    for (int rest = mask; rest != 0; rest &= rest - 1) {
      int lane = Integer.numberOfTrailingZeros(rest);
      TensorMemory.of(w.cta).require(ctas, w, lane, site);
      var group = TensorAllocation.group(w, lane, ctas, site);
      var s = SHAPES[shape];
      var to = TensorCommit.address(w, lane, address[lane] + displacement, true, site);
      if (to.lane() != 0) {
        throw TensorAllocation.fault(w, lane, site, "copies to lane " + to.lane() + " of tensor memory: it must be 0");
      }
      var from = new TensorOperand[group.length];
      for (int i = 0; i < group.length; i++) {
        TensorMemory.of(group[i]).requireColumns(to.column(), s.columns(), "copies to", w, lane, site);
        from[i] = new TensorOperand(group[i], descriptor[lane], false, s.rows(), s.rowBytes(), Byte.SIZE, w, lane,
            site);
      }
      new Copy(w, lane, site, group, s, DECOMPRESSIONS[decompression], to, from).issue();
    }
  }

  /** Issues shifts. */
  public static void shift(Warp w, int mask, int[] address, int displacement, int ctas, int site) {
    for (int rest = mask; rest != 0; rest &= rest - 1) {
      int lane = Integer.numberOfTrailingZeros(rest);
      TensorMemory.of(w.cta).require(ctas, w, lane, site);
      var group = TensorAllocation.group(w, lane, ctas, site);
      var at = TensorCommit.address(w, lane, address[lane] + displacement, false, site);
      if (at.lane() % TmemAddress.WARP_LANES != 0) {
        throw TensorAllocation.fault(w, lane, site, "shifts lane " + at.lane()
            + " of tensor memory and what follows: it must be a multiple of 32");
      }
      for (var cta : group) TensorMemory.of(cta).requireColumns(at.column(), SHIFTED, "shifts", w, lane, site);
      new Shift(w, lane, site, group, at).issue();
    }
  }
}
