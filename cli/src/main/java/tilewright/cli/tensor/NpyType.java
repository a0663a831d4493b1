package tilewright.cli.tensor;

import java.nio.ByteOrder;
import java.util.Optional;
import java.util.stream.Stream;
import tilewright.numerics.ElementType;

/**
 * The type of a NumPy array's elements.
 *
 * @param kind {@code f} floating point, {@code i} and {@code u} signed and unsigned integer,
 *     {@code V} bytes of no declared meaning
 */
public record NpyType(char kind, int bytes, ByteOrder order) {
  public static final NpyType FLOAT16 = littleEndian('f', 2);
  public static final NpyType FLOAT32 = littleEndian('f', 4);
  static final NpyType FLOAT64 = littleEndian('f', 8);
  /** {@code V2}, the type that NumPy stores the {@code bfloat16} of other libraries as. */
  public static final NpyType OPAQUE16 = littleEndian('V', 2);

  private static NpyType littleEndian(char kind, int bytes) {
    return new NpyType(kind, bytes, ByteOrder.LITTLE_ENDIAN);
  }

  /**
   * Reads NumPy's spelling, such as {@code <f4}.
   *
   * @throws IllegalArgumentException if it is not one of the types a matrix here can have
   */
  static NpyType parse(String descr) {
    if (!descr.matches("[<>|=](f2|f4|f8|u2|V2|i1|i4|u1|V1)")) {
      throw new IllegalArgumentException("its element type is '" + descr
          + "'; needed is f2, f4 or f8, bfloat16 stored as V2 or u2, i1, i4, or an 8-bit float as u1 or V1");
    }
    var order = descr.charAt(0) == '>' ? ByteOrder.BIG_ENDIAN : ByteOrder.LITTLE_ENDIAN;
    return new NpyType(descr.charAt(1), descr.charAt(2) - '0', order);
  }

  /** Returns the type that an element is stored as: an opaque {@code V} type where NumPy has none. */
  public static NpyType of(ElementType type) {
    return littleEndian(switch (type) {
      case F64, F32, TF32, F16 -> 'f';
      case I8, I32 -> 'i';
      case BF16, E4M3, E5M2, I4 -> 'V';
    }, type.bytes());
  }

  /** Whether matrices that are multiplied can have such elements: floating point, perhaps stored as bytes. */
  public boolean isMatrixElement() {
    return kind == 'f' || bytes == 2 || bytes == 1 && kind != 'i';
  }

  /** Whether these are integers that stand for something else, such as the bits of a bfloat16. */
  public boolean isUntyped() {
    return kind == 'u';
  }

  /** Whether elements of that type can be stored so. */
  public boolean holds(ElementType type) {
    return bytes == type.bytes() && (kind == of(type).kind || of(type).kind == 'V' && kind == 'u');
  }

  /** The element type, where only one is stored so; unsigned integers are of no type unless that is said. */
  public Optional<ElementType> element() {
    if (isUntyped()) return Optional.empty();
    var all = Stream.of(ElementType.F32, ElementType.F16, ElementType.BF16, ElementType.I8, ElementType.I32)
        .filter(this::holds).toList();
    return all.size() == 1 ? Optional.of(all.getFirst()) : Optional.empty();
  }

  /** NumPy's spelling. */
  public String descr() {
    return (kind == 'V' ? "|" : order == ByteOrder.BIG_ENDIAN ? ">" : "<") + kind + bytes;
  }
}
