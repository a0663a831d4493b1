package tilewright.simulator.tcgen05;

import java.util.ArrayList;
import java.util.List;
import tilewright.simulator.core.Cta;
import tilewright.simulator.core.Warp;
import tilewright.simulator.tensorcore.MmaType;
import tilewright.simulator.tmem.DataPath;
import tilewright.simulator.tmem.InstructionDescriptor;
import tilewright.simulator.tmem.MetadataLayout;
import tilewright.simulator.tmem.MmaKind;
import tilewright.simulator.tmem.TmemAddress;
import tilewright.simulator.tmem.ZeroColumnMask;

/**
 * One {@code tcgen05.mma} under way: gathers the factors when it takes effect, and has each part of D computed. Each
 * CTA of the group gives its rows of A and its columns of B and keeps its rows of D.
 */
final class TensorProduct extends TensorOperation {
  /** K of 4-bit elements in the deeper form. */
  private static final int DEEP = 96;

  final MmaKind kind;
  final InstructionDescriptor descriptor;
  final DataPath path;
  final TmemAddress dPlace;
  boolean accumulate;
  int scaleD;
  boolean weightStationary;
  boolean shifted;
  int[] disabled = {};
  ZeroColumnMask zeroColumns = ZeroColumnMask.NONE;
  TensorOperand[] b;
  /** By CTA, where A lies in shared memory. */
  TensorOperand[] a;
  /** Where A lies in Tensor Memory; null if it does not. */
  TmemAddress aPlace;
  TmemAddress metadata;
  /** Scales of a row of A; 0 without block scales. */
  int scales;
  TmemAddress aScales;
  TmemAddress bScales;

  TensorProduct(Warp warp, int lane, int site, Cta[] group, MmaKind kind, InstructionDescriptor descriptor,
      DataPath path, TmemAddress dPlace) {
    super(warp, lane, site, group);
    this.kind = kind;
    this.descriptor = descriptor;
    this.path = path;
    this.dPlace = dPlace;
  }

  @Override
  boolean follows(TensorOperation earlier) {
    return !(earlier instanceof TensorProduct p) || p.dPlace.equals(dPlace) && p.descriptor.m() == descriptor.m()
        && p.descriptor.n() == descriptor.n() && p.weightStationary == weightStationary;
  }

  @Override
  List<TensorOperand> operands() {
    var all = new ArrayList<>(List.of(b));
    if (a != null) all.addAll(List.of(a));
    return all;
  }

  @Override
  void watch(TensorWatch.Access by) {
    for (int c = 0; c < group.length; c++) new TensorFootprint(this, by, c).watch();
  }

  @Override
  String verb() {
    return "multiplies with";
  }

  @Override
  String what() {
    return "a multiplication";
  }

  MmaType aType() {
    return descriptor.a();
  }

  MmaType bType() {
    return descriptor.b();
  }

  boolean sparse() {
    return descriptor.sparse();
  }

  /** Elements of a row of A, or where {@code sparse}, of a column of B beside a sparse A. */
  int depth(boolean sparse) {
    return descriptor.deep() ? DEEP : kind.depth(sparse);
  }

  /** Columns that a row of A takes in Tensor Memory. */
  int columnsOfA() {
    return depth(false) * kind.containerBits() / Integer.SIZE;
  }

  @Override
  void run() {
    int[][] right = right();
    int columns = descriptor.n() / path.folds();
    for (int c = 0; c < group.length; c++) {
      int[][] left = new int[depth(false)][path.rows()];
      if (a != null) {
        a[c].read(aType(), left, 0);
        if (shifted) shift(left);
      }
      for (int fold = 0; fold < path.folds(); fold++) {
        if (a == null) readA(group[c], fold, left);
        var part = new TensorPart(this, c, fold, columns, left, right);
        part.run();
      }
    }
  }

  /** All columns of B, by depth. */
  private int[][] right() {
    int shift = zeroColumns.shift();
    int[][] all = new int[depth(sparse())][descriptor.n() + shift];
    for (int c = 0; c < group.length; c++) b[c].read(bType(), all, c * descriptor.n() / group.length);
    if (shift > 0) for (var row : all) System.arraycopy(row, shift, row, 0, descriptor.n());
    var zeros = zeroColumns.zeros();
    for (int n = zeros.nextSetBit(0); n >= 0; n = zeros.nextSetBit(n + 1)) for (var row : all) row[n] = 0;
    return all;
  }

  /** A from Tensor Memory, from the lanes of the part of D that it is for. */
  private void readA(Cta cta, int fold, int[][] left) {
    var type = aType();
    int bits = kind.containerBits();
    int each = Integer.SIZE / bits;
    for (int row = 0; row < path.rows(); row++) {
      int at = TensorMemory.cell(aPlace.lane() + path.lane(row, fold), aPlace.column());
      for (int k = 0; k < left.length; k++) {
        int element = TensorMemory.of(cta).cells[at + k / each] >>> bits * (k % each) & -1 >>> Integer.SIZE - bits;
        // Four bits stand in the middle of a byte.
        left[k][row] = type == MmaType.E2M1 && bits == Byte.SIZE ? element >>> 2 & 0xF : element;
      }
    }
    if (shifted) shift(left);
  }

  /** Moves all rows but the last down by one. */
  private static void shift(int[][] left) {
    for (var row : left) System.arraycopy(row, 0, row, 1, row.length - 1);
  }

  /** The steps of depth at which the stored elements of a row of a sparse A stand. */
  void positions(Cta cta, int row, int fold, int[] positions) {
    int chunks = MetadataLayout.chunks(kind);
    int base = metadata.column() + (MetadataLayout.columns(kind) == 1 ? descriptor.selector() : 0);
    int stored = positions.length / chunks;
    for (int chunk = 0; chunk < chunks; chunk++) {
      int lane = metadata.lane() + path.lane(MetadataLayout.rowOfLane(kind, row, chunk), fold);
      int word = TensorMemory.of(cta).cells[TensorMemory.cell(lane, base + MetadataLayout.column(kind, chunk))];
      int nibble = word >>> MetadataLayout.bit(kind, row, chunk) & 0xF;
      int first = nibble & 3;
      int second = nibble >>> 2;
      int at = stored * chunk;
      switch (kind) {
        // One of two, named as two halves of four.
        case TF32 -> positions[at] = 2 * chunk + (first >> 1);
        case MXF4, MXF4NVF4 -> {
          for (int i = 0; i < 4; i++) positions[at + i] = 8 * chunk + 2 * (i < 2 ? first : second) + i % 2;
        }
        default -> {
          positions[at] = 4 * chunk + first;
          positions[at + 1] = 4 * chunk + second;
        }
      }
    }
  }

  /** Whether D keeps its value in a lane of one of the CTAs. */
  boolean isDisabled(int cta, int lane) {
    int bit = cta * TmemAddress.LANES + lane;
    return disabled.length > 0 && (disabled[bit / Integer.SIZE] >>> bit % Integer.SIZE & 1) != 0;
  }
}
