package tilewright.device;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.List;
import tilewright.ptx.PtxType;

/** One kernel parameter's value, as the GPU's memory can hold it. */
public sealed interface KernelArgument {

  /** An address: that many bytes after the beginning of the memory. */
  record Address(DeviceMemory memory, long offset) implements KernelArgument {
    @Override
    public byte[] bytes() {
      return littleEndian(memory.address() + offset, Long.BYTES);
    }

    @Override
    public List<DeviceMemory> memories() {
      return List.of(memory);
    }

    @Override
    public String toString() {
      return memory + (offset == 0 ? "" : " + " + offset);
    }
  }

  /** A number by its bits. */
  record Value(PtxType type, long bits) implements KernelArgument {
    @Override
    public byte[] bytes() {
      return littleEndian(bits, type.bytes());
    }

    @Override
    public List<DeviceMemory> memories() {
      return List.of();
    }

    @Override
    public String toString() {
      return type.text() + " " + switch (type) {
        case F32 -> String.valueOf(Float.intBitsToFloat((int) bits));
        case F64 -> String.valueOf(Double.longBitsToDouble(bits));
        case S32, S64 -> String.valueOf(bits);
        default -> Long.toUnsignedString(bits);
      };
    }
  }

  /**
   * Any bytes, such as a struct or a tensor map.
   *
   * @param memories what the bytes point to
   */
  record Raw(MemorySegment content, List<DeviceMemory> memories) implements KernelArgument {
    public Raw {
      memories = List.copyOf(memories);
    }

    @Override
    public byte[] bytes() {
      return content.toArray(ValueLayout.JAVA_BYTE);
    }

    @Override
    public String toString() {
      return content.byteSize() + " raw bytes";
    }
  }

  /** The bytes of the parameter's memory. */
  byte[] bytes();

  /** The memory that must stay open while the value is in use. */
  List<DeviceMemory> memories();

  static KernelArgument of(DeviceMemory memory) {
    return new Address(memory, 0);
  }

  static KernelArgument u32(int value) {
    return new Value(PtxType.U32, Integer.toUnsignedLong(value));
  }

  /** A number, or an address that another library has given. */
  static KernelArgument u64(long value) {
    return new Value(PtxType.U64, value);
  }

  static KernelArgument f32(float value) {
    return new Value(PtxType.F32, Integer.toUnsignedLong(Float.floatToRawIntBits(value)));
  }

  private static byte[] littleEndian(long bits, int bytes) {
    return Arrays.copyOf(ByteBuffer.allocate(Long.BYTES).order(ByteOrder.LITTLE_ENDIAN).putLong(bits).array(), bytes);
  }
}
