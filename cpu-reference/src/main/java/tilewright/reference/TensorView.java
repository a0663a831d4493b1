package tilewright.reference;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.stream.Collectors;
import tilewright.layout.Layout;
import tilewright.numerics.ElementType;
import tilewright.numerics.Rounding;

/**
 * Elements in memory, found by a layout.
 *
 * @param offset bytes from the begin of {@code data} to the element of offset 0
 * @param layout coordinates → offset in elements
 */
public record TensorView(ElementType type, MemorySegment data, long offset, Layout layout) {
  private static final ValueLayout.OfShort SHORT = ValueLayout.JAVA_SHORT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
  private static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
  private static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);

  public TensorView(ElementType type, MemorySegment data, Layout layout) {
    this(type, data, 0, layout);
  }

  /**
   * FP32 elements of an array, of which the last mode is contiguous.
   *
   * @param name of the tensor in errors
   * @throws IllegalArgumentException for an array of another length
   */
  public static TensorView rowMajor(String name, float[] values, long... shape) {
    long expected = Arrays.stream(shape).reduce(1, Math::multiplyExact);
    if (values.length != expected) {
      throw new IllegalArgumentException(name + " has " + values.length + " elements; needed are "
          + Arrays.stream(shape).mapToObj(Long::toString).collect(Collectors.joining("×")) + " = " + expected);
    }
    return new TensorView(ElementType.F32, MemorySegment.ofArray(values), Layout.rowMajor(shape));
  }

  /** The bits of the element with that colexicographic index. */
  public long bits(long index) {
    return bitsAt(layout.apply(index));
  }

  /** @param place the layout's offset of the element */
  private long bitsAt(long place) {
    if (type == ElementType.I4) return data.get(ValueLayout.JAVA_BYTE, halfByte(place) / 2) >> shift(place) & 0xF;
    long at = offset + place * type.bytes();
    return switch (type.bytes()) {
      case 1 -> data.get(ValueLayout.JAVA_BYTE, at) & 0xFFL;
      case 2 -> data.get(SHORT, at) & 0xFFFFL;
      case 4 -> data.get(INT, at) & 0xFFFFFFFFL;
      default -> data.get(LONG, at);
    };
  }

  public double value(long index) {
    return type.toDouble(bits(index));
  }

  /** The value of the element that the layout puts there, which is found once for many elements in a row. */
  public double valueAt(long place) {
    return type.toDouble(bitsAt(place));
  }

  public void setBits(long index, long bits) {
    long place = layout.apply(index);
    if (type == ElementType.I4) {
      long at = halfByte(place) / 2;
      int others = data.get(ValueLayout.JAVA_BYTE, at) & 0xF0 >> shift(place);
      data.set(ValueLayout.JAVA_BYTE, at, (byte) (others | (bits & 0xF) << shift(place)));
      return;
    }
    long at = offset + place * type.bytes();
    switch (type.bytes()) {
      case 1 -> data.set(ValueLayout.JAVA_BYTE, at, (byte) bits);
      case 2 -> data.set(SHORT, at, (short) bits);
      case 4 -> data.set(INT, at, (int) bits);
      default -> data.set(LONG, at, bits);
    }
  }

  private long halfByte(long place) {
    return 2 * offset + place;
  }

  private int shift(long place) {
    return (int) (halfByte(place) % 2) * 4;
  }

  /** Stores a value, rounded to nearest even. */
  public void set(long index, double value) {
    setBits(index, type.fromDouble(value, Rounding.NEAREST_EVEN));
  }

  public long size() {
    return layout.size();
  }

  /** All values in the order of their indices. */
  public double[] values() {
    var values = new double[Math.toIntExact(size())];
    for (int i = 0; i < values.length; i++) values[i] = value(i);
    return values;
  }
}
