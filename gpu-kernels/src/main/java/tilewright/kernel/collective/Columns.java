package tilewright.kernel.collective;

import java.util.List;
import tilewright.kernel.F32;
import tilewright.kernel.GlobalTensor;

/**
 * A thread's columns of a vector that all rows share. They stay in cache: in registers they would cost more threads
 * than they save loads.
 */
public final class Columns {
  private final RowShape shape;
  private final GlobalTensor vector;

  Columns(RowShape shape, GlobalTensor vector) {
    this.shape = shape;
    this.vector = shape.exact() ? vector.covered(0) : vector;
  }

  /** The values in a run's columns; zeros where the row has none. */
  public List<F32> of(RowTile.Run run) {
    return vector.at(run.column()).vectorOrZeros(shape.vector(), vector.contains(run.column())).valuesLater();
  }
}
