package tilewright.simulator.compiler.code;

import java.util.List;
import tilewright.ptx.PtxType;

/** Where an operand's value comes from. */
public sealed interface Source {
  record Register(Reg reg) implements Source {}

  /** An integer, an address, or the bits of a floating-point constant of type {@code type}. */
  record Constant(long bits, PtxType type) implements Source {}

  /** A 32-bit special register. */
  record Special(int code) implements Source {}

  /** {@code %clock64} and {@code %globaltimer}. */
  record Clock() implements Source {}

  /** An address in the CTA's shared memory, by its offset there; in a cluster it tells the CTA's rank too. */
  record Shared(long offset) implements Source {}

  static Source of(Reg reg) {
    return new Register(reg);
  }

  static Source of(int value) {
    return new Constant(value, PtxType.B32);
  }

  static Source of(long value) {
    return new Constant(value, PtxType.B64);
  }

  default List<Reg> reads() {
    return this instanceof Register(var reg) ? List.of(reg) : List.of();
  }
}
