package tilewright.async.schedule;

import java.util.List;
import tilewright.kernel.Scope;
import tilewright.numerics.ElementType;
import tilewright.ptx.Operand;

/**
 * The part of a tile that a CTA's warpgroups hold in registers.
 *
 * @param type FP32, f16 or 32-bit integers; those of f16 are of no use to other CTAs
 * @param quads accumulators of a thread, in fours
 * @param warpgroups that hold them
 */
public record Accumulators(ElementType type, int quads, int warpgroups) {
  /** Registers that are handed on together: 16 bytes. */
  static final int QUAD = 4;

  /** Adds another CTA's accumulators to a thread's, four to four; integers wrap. */
  void add(Scope k, List<Operand.Register> sums, List<Operand.Register> others) {
    var instruction = type == ElementType.I32 ? "add.s32" : "add.f32";
    for (int i = 0; i < QUAD; i++) k.emit(instruction, sums.get(i), sums.get(i), others.get(i));
  }
}
