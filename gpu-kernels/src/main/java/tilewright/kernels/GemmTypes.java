package tilewright.kernels;

import tilewright.numerics.ElementType;

/**
 * The types of a matrix product.
 *
 * @param a type of A's elements; likewise b and output, of C's
 */
public record GemmTypes(ElementType a, ElementType b, ElementType output, Accumulation accumulation) {
  public GemmTypes {
    if (accumulation == Accumulation.F16 && (a != ElementType.F16 || b != ElementType.F16)) {
      throw new IllegalArgumentException("products of " + a.text() + " and " + b.text()
          + " cannot be accumulated in f16: only those of f16 can");
    }
  }

  /** Both operands of one type. */
  public static GemmTypes of(ElementType operand, ElementType output) {
    return new GemmTypes(operand, operand, output, Accumulation.FAST);
  }

  /** The default type of C: that of 16-bit operands, else the accumulators' type. */
  public static ElementType usualOutput(ElementType operand) {
    return switch (operand) {
      case TF32 -> ElementType.F32;
      case I8 -> ElementType.I32;
      case E4M3, E5M2 -> ElementType.BF16;
      default -> operand;
    };
  }

  /** The operands' type, where they share one. */
  public ElementType operand() {
    if (a != b) {
      throw new IllegalArgumentException("operands of " + a.text() + " and " + b.text()
          + ": this kernel needs both of one type");
    }
    return a;
  }

  /** The type of the tensor core's accumulators. */
  public ElementType accumulator() {
    if (accumulation == Accumulation.F16) return ElementType.F16;
    return a == ElementType.I8 ? ElementType.I32 : ElementType.F32;
  }

  /**
   * Returns these types with accumulators of f16 or FP32.
   *
   * @throws IllegalArgumentException if they are to be of f16, and the operands are not
   */
  public GemmTypes summedIn(ElementType accumulator) {
    return switch (accumulator) {
      case F16 -> new GemmTypes(a, b, output, Accumulation.F16);
      case F32 -> accumulation == Accumulation.F16 ? new GemmTypes(a, b, output, Accumulation.FAST) : this;
      default -> throw new IllegalArgumentException("no accumulators are chosen to be of " + accumulator.text()
          + ": f32 or f16");
    };
  }

  /** Returns these types with the operands exchanged. */
  public GemmTypes transposed() {
    return new GemmTypes(b, a, output, accumulation);
  }

  /** Whether sums leave the tensor core on the way: only those of 8-bit floats are too short there. */
  public boolean isPromoted() {
    return accumulation != Accumulation.FAST && isNarrow(a) && !isMixed();
  }

  /** Whether A is converted to B's type before the product: 8-bit floats, or integers of 4 bits, beside 16 bits. */
  public boolean isMixed() {
    return (isNarrow(a) || a == ElementType.I4) && b.bits() == 16;
  }

  /** The type that A's elements are multiplied in. */
  public ElementType multiplied() {
    return isMixed() ? b : a;
  }

  private static boolean isNarrow(ElementType type) {
    return type == ElementType.E4M3 || type == ElementType.E5M2;
  }

  @Override
  public String toString() {
    return (a == b ? a.text() : a.text() + "*" + b.text()) + "->" + output.text()
        + switch (accumulation) {
          case FAST -> "";
          case F16 -> " acc=f16";
          case EXACT, SCALED -> " " + accumulation.text();
        };
  }
}
