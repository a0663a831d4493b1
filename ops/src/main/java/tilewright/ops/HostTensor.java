package tilewright.ops;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.function.LongToDoubleFunction;
import tilewright.layout.Layout;
import tilewright.numerics.ElementType;
import tilewright.numerics.Rounding;
import tilewright.reference.TensorView;

/**
 * A tensor as the caller gives it.
 *
 * @param array of Java's primitives; empty for an output
 * @param extents one per mode, the number of elements, or none
 */
record HostTensor(String name, Optional<Object> array, List<Long> extents) {
  HostTensor {
    extents = List.copyOf(extents);
    for (long extent : extents) {
      if (extent < 0) throw new IllegalArgumentException("tensor " + name + " has an extent of " + extent);
    }
  }

  static HostTensor input(String name, Object array, int length, long... extents) {
    var tensor = new HostTensor(name, Optional.of(array), extents.length == 0 ? List.of((long) length)
        : Arrays.stream(extents).boxed().toList());
    long needed = product(tensor.extents);
    if (needed > length) {
      throw new IllegalArgumentException("tensor " + name + tensor.extents + " has " + needed
          + " elements, its array " + length);
    }
    return tensor;
  }

  static HostTensor output(String name, long... extents) {
    return new HostTensor(name, Optional.empty(), Arrays.stream(extents).boxed().toList());
  }

  private static long product(List<Long> extents) {
    return extents.stream().reduce(1L, Math::multiplyExact);
  }

  boolean isOutput() {
    return array.isEmpty();
  }

  /** The number of elements, if it is known without the kernel. */
  Optional<Long> elements() {
    return extents.isEmpty() ? Optional.empty() : Optional.of(product(extents));
  }

  /** A buffer of this number of elements: those of the array, or NaN. */
  MemorySegment buffer(ElementType type, long elements) {
    long bytes = type.bytes(elements);
    // A long array, so that every element is aligned.
    var words = new long[Math.toIntExact(Math.ceilDiv(bytes, Long.BYTES))];
    var buffer = MemorySegment.ofArray(words).asSlice(0, bytes);
    if (array.isEmpty()) return buffer.fill((byte) 0xFF);
    switch (array.get()) {
      case float[] numbers -> fill(buffer, type, elements, numbers.length, i -> numbers[(int) i]);
      case double[] numbers -> fill(buffer, type, elements, numbers.length, i -> numbers[(int) i]);
      case int[] numbers -> fill(buffer, type, elements, numbers.length, i -> numbers[(int) i]);
      case short[] bits -> copy(buffer, type, MemorySegment.ofArray(bits), Short.SIZE);
      case byte[] bits -> copy(buffer, type, MemorySegment.ofArray(bits), Byte.SIZE);
      default -> throw new IllegalStateException("unexpected " + array.get().getClass());
    }
    return buffer;
  }

  private void fill(MemorySegment buffer, ElementType type, long elements, int length, LongToDoubleFunction number) {
    requireLength(elements, length);
    var view = new TensorView(type, buffer, Layout.of(elements, 1));
    for (long i = 0; i < elements; i++) {
      view.setBits(i, type.fromDouble(number.applyAsDouble(i), Rounding.NEAREST_EVEN));
    }
  }

  private void copy(MemorySegment buffer, ElementType type, MemorySegment bits, int width) {
    if (type.bits() != width) {
      throw new IllegalArgumentException("tensor " + name + " is of " + type.text() + ": give its " + type.bits()
          + "-bit elements as a float[] of numbers" + (type.bits() == 8 ? " or a byte[] of bits"
          : type.bits() == 16 ? " or a short[] of bits" : "") + ", not as " + width + "-bit integers");
    }
    requireLength(buffer.byteSize() * Byte.SIZE / width, Math.toIntExact(bits.byteSize() * Byte.SIZE / width));
    MemorySegment.copy(bits, ValueLayout.JAVA_BYTE, 0, buffer, ValueLayout.JAVA_BYTE, 0, buffer.byteSize());
  }

  private void requireLength(long elements, int length) {
    if (length < elements) {
      throw new IllegalArgumentException("tensor " + name + " needs " + elements + " elements, its array has "
          + length);
    }
  }
}
