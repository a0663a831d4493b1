package tilewright.simulator.compiler.code;

import java.util.List;
import java.util.Optional;

/** One step of a basic block. */
public sealed interface Op {
  Optional<Guard> guard();

  /** Registers read, without the guard. */
  List<Reg> reads();

  List<Reg> writes();

  /** The instruction it belongs to. */
  int site();

  /** A predicate that decides by lane whether an operation happens. */
  record Guard(Reg predicate, boolean negated) {
    public Guard inverse() {
      return new Guard(predicate, !negated);
    }
  }

  /** Emits what one lane does. */
  interface LaneBody {
    void emit(LaneCode code);
  }

  /** Work that every lane does by itself; neighbours are fused into one loop over the lanes. */
  record Lane(Optional<Guard> guard, List<Reg> reads, List<Reg> writes, int site, Flow flow, LaneBody body)
      implements Op {}

  /**
   * A call of a static method of the machine: {@code method(warp, mask, arguments…)}.
   *
   * @param result what the returned bits mean
   */
  record Warp(Optional<Guard> guard, Class<?> owner, String method, List<Argument> arguments, Result result,
      List<Reg> reads,
      List<Reg> writes, int site) implements Op {}

  /** The result of a machine method. */
  sealed interface Result {
    record Nothing() implements Result {}

    /** One bit a lane, for a predicate. */
    record Predicate(Reg to) implements Result {}

    /** Whether the block's lanes must wait. */
    record Wait() implements Result {}
  }

  /** An argument of a machine method, after warp and mask. */
  sealed interface Argument {
    /** The register's array. */
    record Lanes(Reg reg) implements Argument {}

    record IntValue(int value) implements Argument {}

    record LongValue(long value) implements Argument {}

    /** The position of a predicate that the method writes itself. */
    record Slot(Reg predicate) implements Argument {}
  }
}
