package tilewright.sm100;

import java.util.Locale;
import tilewright.kernels.GemmTypes;
import tilewright.numerics.ElementType;
import tilewright.sm100.atom.MmaFormat;
import tilewright.sm100.atom.MmaKind;

/**
 * The types of a product on Blackwell.
 *
 * @param a format of A's elements; likewise b
 * @param output type of C's elements
 */
public record UmmaTypes(MmaKind kind, MmaFormat a, MmaFormat b, ElementType output) {
  public UmmaTypes {
    if ((kind == MmaKind.I8) != (output == ElementType.I32)) {
      throw new IllegalArgumentException("products of kind " + kind + " are not stored as " + output.text()
          + ": those of i8 are i32, and only those");
    }
  }

  /**
   * The types of elements of two formats.
   *
   * @throws IllegalArgumentException if the formats are of different kinds
   */
  public static UmmaTypes of(NarrowFormat a, NarrowFormat b, ElementType output) {
    if (a.kind() != b.kind()) {
      throw new IllegalArgumentException(a + " and " + b + " are not multiplied: mxf8 and mxf6 mix, mxf4 and nvf4 do "
          + "not");
    }
    return new UmmaTypes(a.kind(), a.element(), b.element(), output);
  }

  /** The types of elements that have no scales. */
  public static UmmaTypes of(GemmTypes types) {
    if (types.accumulator() == ElementType.F16) {
      throw new IllegalArgumentException("the Blackwell GEMM accumulates in f32: leave acc=f16 to SM80's and Hopper's");
    }
    var a = MmaFormat.of(types.a());
    return new UmmaTypes(MmaKind.of(a), a, MmaFormat.of(types.b()), types.output());
  }

  /** A name such as {@code bf16}, {@code e4m3_e2m1} or {@code nvf4}. */
  public String name() {
    var formats = a == b ? a.text() : a.text() + "_" + b.text();
    return switch (kind) {
      case MXF8F6F4 -> "mx_" + formats;
      case MXF4, NVF4 -> kind.name().toLowerCase(Locale.ROOT);
      default -> formats;
    };
  }
}
