package tilewright.device;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import jcuda.Pointer;
import jcuda.driver.JCudaDriver;

/** Global memory of one GPU. Copies are ordered with the work of every {@link Stream} of that GPU. */
public final class DeviceMemory extends DriverObject {
  /** JCuda takes byte buffers, which end at 2 GiB. */
  private static final long CHUNK = 1L << 30;

  private final Handles.Address handle = new Handles.Address();
  private final long byteSize;

  DeviceMemory(Gpu gpu, long bytes) {
    super(gpu);
    if (bytes <= 0) throw new IllegalArgumentException("cannot allocate " + bytes + " bytes; ask for at least one");
    byteSize = bytes;
    enter();
    Driver.check(JCudaDriver.cuMemAlloc(handle, bytes), "cuMemAlloc", "allocating " + bytes + " bytes on " + gpu);
  }

  public long byteSize() {
    return byteSize;
  }

  /** Where the memory begins on the device. */
  public long address() {
    enter();
    return handle.value();
  }

  /** Copies the whole segment to the beginning. */
  public void copyFrom(MemorySegment source) {
    copyFrom(source, 0);
  }

  /** Copies the whole segment to {@code offset} bytes after the beginning. */
  public void copyFrom(MemorySegment source, long offset) {
    require(offset, source.byteSize());
    for (long at = 0; at < source.byteSize(); at += CHUNK) {
      long bytes = Math.min(CHUNK, source.byteSize() - at);
      try (var arena = Arena.ofConfined()) {
        var chunk = nativeSlice(source, at, bytes, arena);
        if (!source.isNative()) chunk.copyFrom(source.asSlice(at, bytes));
        var target = handle.withByteOffset(offset + at);
        Driver.check(JCudaDriver.cuMemcpyHtoD(target, Pointer.to(chunk.asByteBuffer()), bytes), "cuMemcpyHtoD",
            "copying " + bytes + " bytes to " + this);
      }
    }
  }

  /**
   * Fills the whole segment from the beginning.
   *
   * @throws IllegalArgumentException if the segment is read-only
   */
  public void copyTo(MemorySegment target) {
    copyTo(target, 0);
  }

  /**
   * Fills the whole segment from {@code offset} bytes after the beginning.
   *
   * @throws IllegalArgumentException if the segment is read-only
   */
  public void copyTo(MemorySegment target, long offset) {
    require(offset, target.byteSize());
    // The driver would write to a file mapped for reading, and the process would end.
    if (target.isReadOnly()) throw new IllegalArgumentException("cannot copy " + this + " into a read-only segment");
    for (long at = 0; at < target.byteSize(); at += CHUNK) {
      long bytes = Math.min(CHUNK, target.byteSize() - at);
      try (var arena = Arena.ofConfined()) {
        var chunk = nativeSlice(target, at, bytes, arena);
        var source = handle.withByteOffset(offset + at);
        Driver.check(JCudaDriver.cuMemcpyDtoH(Pointer.to(chunk.asByteBuffer()), source, bytes), "cuMemcpyDtoH",
            "copying " + bytes + " bytes from " + this);
        if (!target.isNative()) target.asSlice(at, bytes).copyFrom(chunk);
      }
    }
  }

  /** Sets every byte. */
  public void fill(byte value) {
    enter();
    Driver.check(JCudaDriver.cuMemsetD8(handle, value, byteSize), "cuMemsetD8", "filling " + this);
  }

  /** Memory that Java's collector does not move while the driver uses it: the segment's own, or a stand-in. */
  private static MemorySegment nativeSlice(MemorySegment segment, long offset, long bytes, Arena arena) {
    return segment.isNative() ? segment.asSlice(offset, bytes) : arena.allocate(bytes);
  }

  private void require(long offset, long bytes) {
    enter();
    if (offset < 0 || offset > byteSize - bytes) {
      throw new IndexOutOfBoundsException("cannot copy " + bytes + " bytes at offset " + offset + " of " + this);
    }
  }

  @Override
  void release() {
    JCudaDriver.cuMemFree(handle);
  }

  @Override
  public String toString() {
    return "device memory 0x" + Long.toHexString(handle.value()) + " of " + byteSize + " bytes";
  }
}
