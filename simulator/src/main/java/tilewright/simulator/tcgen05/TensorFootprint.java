package tilewright.simulator.tcgen05;

import tilewright.simulator.tmem.MetadataLayout;
import tilewright.simulator.tmem.ScaleLayout;
import tilewright.simulator.tmem.TmemAddress;

/** The cells of one CTA's Tensor Memory that a multiplication reads and writes, for the sanitizer. */
final class TensorFootprint {

  private final TensorProduct p;
  private final TensorWatch.Access by;
  private final int ctaIndex;
  private final TensorWatch watch;

  TensorFootprint(TensorProduct p, TensorWatch.Access by, int ctaIndex) {
    this.p = p;
    this.by = by;
    this.ctaIndex = ctaIndex;
    watch = TensorWatch.of(p.group[ctaIndex]);
  }

  void watch() {
    int columns = p.descriptor.n() / p.path.folds();
    for (int fold = 0; fold < p.path.folds(); fold++) {
      for (int row = 0; row < p.path.rows(); row += TensorWatch.LANES) {
        int lane = p.path.lane(row, fold);
        if (p.aPlace != null) read(p.aPlace, lane, p.aPlace.column(), p.columnsOfA());
        if (p.metadata != null) {
          read(p.metadata, lane, p.metadata.column() + p.descriptor.selector(), MetadataLayout.columns(p.kind));
        }
      }
    }
    if (p.scales > 0) {
      scales(p.aScales, p.path.rows(), p.descriptor.aScale());
      scales(p.bScales, columns, p.descriptor.bScale());
    }
    for (int fold = 0; fold < p.path.folds(); fold++) {
      for (int row = 0; row < p.path.rows(); row += TensorWatch.LANES) accumulate(p.path.lane(row, fold), columns);
    }
  }

  private void read(TmemAddress at, int lane, int column, int columns) {
    watch.read(by, at.lane() + lane, TensorWatch.ALL, column, columns);
  }

  /** Scales of so many rows or columns, in each warp's lanes. */
  private void scales(TmemAddress at, int count, int id) {
    for (int word = 0; word < ScaleLayout.words(id, p.scales); word++) {
      scalesOfWord(at.column() + word * ScaleLayout.columnsOfWord(count), count);
    }
  }

  private void scalesOfWord(int column, int count) {
    for (int lane = 0; lane < TmemAddress.LANES; lane += TensorWatch.LANES) {
      int within = lane % ScaleLayout.ROWS;
      for (int first = 0; first + within < count; first += ScaleLayout.ROWS) {
        int used = Math.min(TensorWatch.LANES, count - first - within);
        watch.read(by, lane, (1 << used) - 1, column + ScaleLayout.column(first), 1);
      }
    }
  }

  private void accumulate(int row, int columns) {
    int lane = p.dPlace.lane() + row;
    int enabled = 0;
    for (int i = 0; i < TensorWatch.LANES; i++) if (!p.isDisabled(ctaIndex, lane + i)) enabled |= 1 << i;
    if (enabled == 0) return;
    if (p.accumulate) watch.requireWritten(by, lane, enabled, p.dPlace.column(), columns);
    watch.write(by, lane, enabled, p.dPlace.column(), columns);
  }
}
