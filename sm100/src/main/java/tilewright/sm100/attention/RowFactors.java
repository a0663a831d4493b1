package tilewright.sm100.attention;

import tilewright.kernel.F32;
import tilewright.kernel.I32;
import tilewright.kernel.Scope;
import tilewright.kernel.SharedTensor;
import tilewright.layout.Layout;
import tilewright.numerics.ElementType;

/** One FP32 statistic for each row of both tiles, in shared memory. */
record RowFactors(SharedTensor rows) {

  static RowFactors of(Scope k) {
    return new RowFactors(k.shared(ElementType.F32,
        Layout.columnMajor(Sm100AttentionConfig.ROWS, Sm100AttentionConfig.TILES)));
  }

  void store(I32 tile, I32 row, F32 value) {
    rows.at(row, tile).store(value);
  }

  F32 load(I32 tile, I32 row) {
    return rows.at(row, tile).load();
  }
}
