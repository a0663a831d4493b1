package tilewright.sm90.attention;

import java.util.List;
import java.util.stream.IntStream;
import tilewright.kernel.Element;
import tilewright.kernel.F32;
import tilewright.kernel.I32;
import tilewright.kernel.Scope;
import tilewright.kernel.SharedTensor;
import tilewright.kernel.collective.attention.FragmentRows;
import tilewright.layout.Layout;
import tilewright.numerics.ElementType;
import tilewright.sm90.atom.WgmmaAtom;

/**
 * Numbers of the rows of a tile that a warpgroup leaves to another in shared memory.
 *
 * @param numbers (row, kind, warpgroup)
 */
record RowStatistics(Scope k, SharedTensor numbers) {
  private static final int QUAD = 4;

  /** The numbers of a row. */
  enum Kind {
    /** The factor of O before a block is added. */
    FACTOR,
    /** The row's largest score so far, to which P refers. */
    REFERENCE,
    /** The sum of the row's exponentials in the warpgroup's blocks. */
    SUM
  }

  static RowStatistics of(Scope k) {
    return new RowStatistics(k, k.shared(ElementType.F32,
        Layout.columnMajor(WgmmaAtom.M, Kind.values().length, MlaConfig.CONSUMERS)));
  }

  /** Leaves a number of each row, by one of the four threads that share it. */
  void store(FragmentRows rows, I32 lane, Kind kind, int group, List<F32> ofRows) {
    ofRows.forEach(F32::register);
    k.when(lane.modulo(QUAD).equalTo(0), () -> {
      for (int row = 0; row < rows.count(); row++) at(rows, lane, kind, group, row).store(ofRows.get(row));
    });
  }

  /** The numbers of the thread's rows. */
  List<F32> load(FragmentRows rows, I32 lane, Kind kind, int group) {
    var all = IntStream.range(0, rows.count()).mapToObj(row -> at(rows, lane, kind, group, row).load()).toList();
    all.forEach(F32::register);
    return all;
  }

  private Element at(FragmentRows rows, I32 lane, Kind kind, int group, int row) {
    return numbers.at(rows.row(lane, row), k.constant(kind.ordinal()), k.constant(group));
  }
}
