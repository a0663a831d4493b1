package tilewright.ops;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import java.util.function.IntToDoubleFunction;
import tilewright.layout.Layout;
import tilewright.numerics.ElementType;
import tilewright.numerics.Rounding;
import tilewright.reference.TensorView;

/** Numbers of Java's types as the bytes of elements in a row, and back. */
final class HostNumbers {
  private static final ValueLayout.OfInt LITTLE_ENDIAN = ValueLayout.JAVA_INT_UNALIGNED.withOrder(
      ByteOrder.LITTLE_ENDIAN);

  private HostNumbers() {}

  /** Rounds to nearest even. */
  static MemorySegment of(ElementType type, float[] numbers) {
    if (type == ElementType.F32) return MemorySegment.ofArray(numbers);
    if (type == ElementType.F16) return sixteen(numbers.length, i -> Float.floatToFloat16(numbers[i]));
    if (type == ElementType.BF16) return sixteen(numbers.length, i -> bfloat(numbers[i]));
    return rounded(type, numbers.length, i -> numbers[i]);
  }

  /** @throws IllegalArgumentException for numbers beyond the range of a type of integers */
  static MemorySegment of(ElementType type, int[] numbers) {
    if (type == ElementType.I32) return MemorySegment.ofArray(numbers);
    return rounded(type, numbers.length, i -> numbers[i]);
  }

  private interface Bits {
    short at(int index);
  }

  private static MemorySegment sixteen(int count, Bits bits) {
    var all = new short[count];
    for (int i = 0; i < count; i++) all[i] = bits.at(i);
    return MemorySegment.ofArray(all);
  }

  private static short bfloat(float number) {
    if (Float.isNaN(number)) return 0x7FFF;
    int bits = Float.floatToRawIntBits(number);
    return (short) (bits + 0x7FFF + (bits >> 16 & 1) >> 16);
  }

  private static MemorySegment rounded(ElementType type, int count, IntToDoubleFunction number) {
    var data = MemorySegment.ofArray(new byte[Math.toIntExact(type.bytes(count))]);
    var view = new TensorView(type, data, Layout.of(count, 1));
    for (int i = 0; i < count; i++) view.setBits(i, type.fromDouble(number.applyAsDouble(i), Rounding.NEAREST_EVEN));
    return data;
  }

  static float[] floats(ElementType type, MemorySegment data, int count) {
    var numbers = new float[count];
    var view = new TensorView(type, data, Layout.of(Math.max(1, count), 1));
    for (int i = 0; i < count; i++) numbers[i] = (float) view.valueAt(i);
    return numbers;
  }

  static int[] ints(ElementType type, MemorySegment data, int count) {
    var numbers = new int[count];
    if (type == ElementType.I32) {
      MemorySegment.copy(data, LITTLE_ENDIAN, 0, numbers, 0, count);
      return numbers;
    }
    var view = new TensorView(type, data, Layout.of(Math.max(1, count), 1));
    for (int i = 0; i < count; i++) numbers[i] = (int) view.valueAt(i);
    return numbers;
  }
}
