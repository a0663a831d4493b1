package tilewright.device;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Optional;
import java.util.stream.IntStream;

/** A buffer on the GPU between two guard regions, whose bytes no kernel should change. */
final class GuardedBuffer implements AutoCloseable {
  /** Keeps the buffer as aligned as the allocation, and is wider than a row of most tiles. */
  static final int GUARD_BYTES = 4096;

  private final String name;
  private final long bytes;
  private final DeviceMemory memory;

  GuardedBuffer(Gpu gpu, String name, MemorySegment content) {
    this.name = name;
    bytes = content.byteSize();
    memory = gpu.allocate(bytes + 2L * GUARD_BYTES);
    try (var arena = Arena.ofConfined()) {
      var pattern = arena.allocate(GUARD_BYTES);
      for (int i = 0; i < GUARD_BYTES; i++) pattern.set(ValueLayout.JAVA_BYTE, i, pattern(i));
      memory.copyFrom(pattern, 0);
      memory.copyFrom(pattern, GUARD_BYTES + bytes);
    }
    memory.copyFrom(content, GUARD_BYTES);
  }

  /** Differs from byte to byte, so that a kernel that copies neighbours out of bounds is noticed too. */
  private static byte pattern(int index) {
    return (byte) (index * 0x9E3779B1 >>> 24 ^ 0xA5);
  }

  KernelArgument.Address at(long offset) {
    return new KernelArgument.Address(memory, GUARD_BYTES + offset);
  }

  void download(MemorySegment target) {
    memory.copyTo(target, GUARD_BYTES);
  }

  /** A description of the bytes that changed out of bounds, if any did. */
  Optional<String> damage() {
    return damage(0, -GUARD_BYTES).or(() -> damage(GUARD_BYTES + bytes, bytes));
  }

  /** @param origin the region's place in terms of the buffer */
  private Optional<String> damage(long region, long origin) {
    var found = new byte[GUARD_BYTES];
    memory.copyTo(MemorySegment.ofArray(found), region);
    var changed = IntStream.range(0, GUARD_BYTES).filter(i -> found[i] != pattern(i)).toArray();
    if (changed.length == 0) return Optional.empty();
    long first = origin + changed[0];
    long last = origin + changed[changed.length - 1];
    return Optional.of("%d bytes changed outside buffer '%s' of %d bytes, the first at offset %d, the last at %d"
        .formatted(changed.length, name, bytes, first, last));
  }

  @Override
  public void close() {
    memory.close();
  }
}
