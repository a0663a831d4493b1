package tilewright.sm100.atom;

import java.util.Locale;
import tilewright.kernel.TraceException;
import tilewright.numerics.ElementType;

/**
 * The type of a factor of {@code tcgen05.mma}, as its instruction descriptor names it and as it lies in shared memory
 * (PTX ISA, Instruction descriptor).
 */
public enum MmaFormat {
  F16(0, 16, ElementType.F16), BF16(1, 16, ElementType.BF16), TF32(2, 32, ElementType.TF32),
  E4M3(0, 8, ElementType.E4M3), E5M2(1, 8, ElementType.E5M2),
  /** Six bits, in the low bits of a byte each once sixteen of them have been unpacked from twelve bytes. */
  E2M3(3, 6, ElementType.I8), E3M2(4, 6, ElementType.I8),
  /** Four bits: a byte each, or two in a byte where both factors are of this type and have scales. */
  E2M1(5, 4, ElementType.I8),
  U8(0, 8, ElementType.I8), S8(1, 8, ElementType.I8);

  private final int code;
  private final int bits;
  private final ElementType container;

  MmaFormat(int code, int bits, ElementType container) {
    this.code = code;
    this.bits = bits;
    this.container = container;
  }

  /** The code in the instruction descriptor; where there is only one format, it has another. */
  int code(MmaKind kind) {
    return kind.perContainer() == 2 ? 1 : code;
  }

  /** Bits of an element in global memory. */
  public int bits() {
    return bits;
  }

  /** The type of what shared memory holds; bytes where no type of its own has the element's bits. */
  public ElementType container() {
    return container;
  }

  public String text() {
    return name().toLowerCase(Locale.ROOT);
  }

  /** The format of elements of that type. */
  public static MmaFormat of(ElementType type) {
    return switch (type) {
      case F16 -> F16;
      case BF16 -> BF16;
      case TF32 -> TF32;
      case E4M3 -> E4M3;
      case E5M2 -> E5M2;
      case I8 -> S8;
      default -> throw new TraceException("no tcgen05.mma multiplies " + type.text()
          + ": f16, bf16, tf32, e4m3, e5m2 or i8");
    };
  }
}
