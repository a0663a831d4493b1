package tilewright.sm90;

import tilewright.kernels.GemmTypes;
import tilewright.kernels.choice.Formula;

/** Bytes of an element of A, B and C and of an accumulator, as numbers or as names. */
record ElementBytes(Formula a, Formula b, Formula output, Formula accumulator) {
  /** Bytes A_b, B_b, C_b and D_b by name. */
  static final ElementBytes NAMED = new ElementBytes(Formula.of("A_b"), Formula.of("B_b"), Formula.of("C_b"),
      Formula.of("D_b"));

  static ElementBytes of(GemmTypes types) {
    return new ElementBytes(Formula.of(types.a().bits() / (double) Byte.SIZE),
        Formula.of(types.b().bits() / (double) Byte.SIZE), Formula.of(types.output().bytes()),
        Formula.of(types.accumulator().bytes()));
  }

  ElementBytes transposed() {
    return new ElementBytes(b, a, output, accumulator);
  }
}
