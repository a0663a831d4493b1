package tilewright.verification.cases;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.HashMap;
import java.util.Map;
import tilewright.kernel.LaunchSequence;
import tilewright.layout.Layout;
import tilewright.numerics.ElementType;
import tilewright.reference.Inputs;
import tilewright.reference.TensorView;

/** Fresh buffers for cases. */
public final class Buffers {
  private Buffers() {}

  /** Returns a buffer of normally distributed elements. */
  public static MemorySegment normal(ElementType type, long elements, long seed) {
    var buffer = empty(type, elements);
    Inputs.normal(new TensorView(type, buffer, Layout.of(elements, 1)), seed);
    return buffer;
  }

  /** Returns a buffer of these numbers, rounded to the type. */
  static MemorySegment of(ElementType type, double[] values) {
    var buffer = empty(type, values.length);
    var view = new TensorView(type, buffer, Layout.of(values.length, 1));
    for (int i = 0; i < values.length; i++) view.set(i, values[i]);
    return buffer;
  }

  /** Returns a buffer with every bit set: NaN, which shows elements that a kernel did not write. */
  public static MemorySegment poisoned(ElementType type, long elements) {
    return empty(type, elements).fill((byte) 0xFF);
  }

  /** Returns a buffer of zeros. */
  public static MemorySegment zeros(ElementType type, long elements) {
    return empty(type, elements);
  }

  /** Returns buffers with the workspace of a sequence of launches, poisoned: what it holds before may not matter. */
  public static Map<String, MemorySegment> withWorkspace(LaunchSequence sequence, Map<String, MemorySegment> buffers) {
    var all = new HashMap<>(buffers);
    for (var part : sequence.workspace()) all.put(part.name(), poisoned(part.type(), part.layout().cosize()));
    return all;
  }

  private static MemorySegment empty(ElementType type, long elements) {
    // A long array, so that every element is aligned.
    long words = Math.ceilDiv(type.bytes(elements), Long.BYTES);
    return MemorySegment.ofArray(new long[Math.toIntExact(words)]).asSlice(0, type.bytes(elements));
  }

  static double[] values(ElementType type, MemorySegment buffer) {
    return new TensorView(type, buffer, Layout.of(buffer.byteSize() / type.bytes(), 1)).values();
  }

  public static float single(MemorySegment buffer, long index) {
    return buffer.get(ValueLayout.JAVA_FLOAT_UNALIGNED, index * Float.BYTES);
  }
}
