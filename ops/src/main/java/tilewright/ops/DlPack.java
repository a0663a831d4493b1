package tilewright.ops;

import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import tilewright.numerics.ElementType;

/**
 * A tensor of another library by its {@code DLManagedTensor} (dlpack.h, version 0.8; the struct without a version).
 *
 * @param deviceType {@link #CPU} or {@link #CUDA}, or one that is neither
 * @param address of the first element
 */
record DlPack(int deviceType, int deviceId, ElementType type, long address, Shape shape, Runnable deleter) {
  static final int CPU = 1;
  static final int CUDA = 2;

  private static final long BYTES = 64;
  private static final long DEVICE_TYPE = 8;
  private static final long DEVICE_ID = 12;
  private static final long RANK = 16;
  private static final long TYPE_CODE = 20;
  private static final long TYPE_BITS = 21;
  private static final long TYPE_LANES = 22;
  private static final long SHAPE = 24;
  private static final long STRIDES = 32;
  private static final long BYTE_OFFSET = 40;
  private static final long DELETER = 56;
  private static final int MOST_MODES = 64;

  /** @throws IllegalArgumentException for types that no tensor here has */
  @SuppressWarnings("restricted")
  static DlPack read(long managedTensor) {
    if (managedTensor == 0) throw new IllegalArgumentException("no DLManagedTensor at address 0");
    var struct = MemorySegment.ofAddress(managedTensor).reinterpret(BYTES);
    int rank = struct.get(ValueLayout.JAVA_INT, RANK);
    if (rank < 0 || rank > MOST_MODES) {
      throw new IllegalArgumentException("a DLManagedTensor of " + rank + " modes: its address is wrong");
    }
    var extents = numbers(struct.get(ValueLayout.JAVA_LONG, SHAPE), rank);
    long strides = struct.get(ValueLayout.JAVA_LONG, STRIDES);
    var shape = strides == 0 ? Shape.rowMajor(extents) : new Shape(extents, numbers(strides, rank));
    long address = struct.get(ValueLayout.JAVA_LONG, 0) + struct.get(ValueLayout.JAVA_LONG, BYTE_OFFSET);
    return new DlPack(struct.get(ValueLayout.JAVA_INT, DEVICE_TYPE), struct.get(ValueLayout.JAVA_INT, DEVICE_ID),
        type(struct), address, shape, deleter(struct));
  }

  @SuppressWarnings("restricted")
  private static List<Long> numbers(long address, int count) {
    var numbers = new ArrayList<Long>();
    if (count == 0) return numbers;
    var array = MemorySegment.ofAddress(address).reinterpret((long) count * Long.BYTES);
    for (int i = 0; i < count; i++) numbers.add(array.getAtIndex(ValueLayout.JAVA_LONG, i));
    return numbers;
  }

  private static ElementType type(MemorySegment struct) {
    int code = Byte.toUnsignedInt(struct.get(ValueLayout.JAVA_BYTE, TYPE_CODE));
    int bits = Byte.toUnsignedInt(struct.get(ValueLayout.JAVA_BYTE, TYPE_BITS));
    int lanes = Short.toUnsignedInt(struct.get(ValueLayout.JAVA_SHORT, TYPE_LANES));
    var text = code + "/" + bits + "/" + lanes;
    return switch (text) {
      case "2/64/1" -> ElementType.F64;
      case "2/32/1" -> ElementType.F32;
      case "2/16/1" -> ElementType.F16;
      case "4/16/1" -> ElementType.BF16;
      case "10/8/1" -> ElementType.E4M3;
      case "12/8/1" -> ElementType.E5M2;
      case "0/32/1" -> ElementType.I32;
      case "0/8/1" -> ElementType.I8;
      default -> throw new IllegalArgumentException("a DLPack tensor of type code " + code + ", " + bits + " bits and "
          + lanes + " lanes: needed are f64, f32, f16, bf16, e4m3fn, e5m2, i32 or i8, one lane");
    };
  }

  @SuppressWarnings("restricted")
  private static Runnable deleter(MemorySegment struct) {
    var function = struct.get(ValueLayout.ADDRESS, DELETER);
    if (function.address() == 0) return () -> {};
    var call = Linker.nativeLinker().downcallHandle(function, FunctionDescriptor.ofVoid(ValueLayout.ADDRESS));
    return () -> {
      try {
        call.invokeExact(struct);
      } catch (Throwable e) {
        throw new IllegalStateException("the deleter of a DLManagedTensor failed", e);
      }
    };
  }
}
