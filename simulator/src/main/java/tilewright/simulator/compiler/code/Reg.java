package tilewright.simulator.compiler.code;

import tilewright.ptx.PtxType;

/** A PTX register, or a temporary of the compiler. */
public final class Reg {
  private static final int UNPLACED = -1;

  public final int id;
  public final Kind kind;
  public final PtxType type;
  private int slot = UNPLACED;

  /** How the JVM holds a register: 32 ints, floats, longs or doubles, or one bit a lane. */
  public enum Kind { INT, FLOAT, LONG, DOUBLE, PREDICATE }

  public Reg(int id, PtxType type) {
    this.id = id;
    this.type = type;
    kind = kindOf(type);
  }

  public static Kind kindOf(PtxType type) {
    return switch (type) {
      case PRED -> Kind.PREDICATE;
      case F32 -> Kind.FLOAT;
      case F64 -> Kind.DOUBLE;
      case B64, U64, S64, F32X2 -> Kind.LONG;
      case B128 -> throw new Unsupported("128-bit registers are not supported");
      default -> Kind.INT;
    };
  }

  /** Whether it needs an array in the warp because it outlives the code that computes it. */
  boolean placed() {
    return slot != UNPLACED;
  }

  public int slot() {
    if (!placed()) throw new IllegalStateException("register " + id + " has no slot");
    return slot;
  }

  void place(int slot) {
    this.slot = slot;
  }
}
