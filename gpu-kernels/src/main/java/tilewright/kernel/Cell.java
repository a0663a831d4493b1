package tilewright.kernel;

import tilewright.ptx.Operand;
import tilewright.ptx.PtxType;

/** A register that changes. What was read before a change must not be computed from after it. */
final class Cell {
  final Operand.Register register;
  private final PtxType type;
  private int version;
  private Node read;

  Cell(Scope k, PtxType type) {
    this.type = type;
    this.register = k.newRegister(type);
  }

  int version() {
    return version;
  }

  void changed() {
    version++;
    read = null;
  }

  /** The present value, as a node of the region that reads it. */
  Node read(Scope k, long min, long max, long ones) {
    if (read == null || read.home != k.region()) read = k.values().cellValue(this, type, min, max, ones);
    return read;
  }
}
