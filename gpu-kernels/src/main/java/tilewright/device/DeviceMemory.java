package tilewright.device;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.function.LongConsumer;

/**
 * Global memory of one GPU. Copies and fills without a stream are ordered with the work of every {@link Gpu#stream()}
 * and over when the call returns, so that every other stream may rely on them; those with a stream are that stream's
 * work, and neither side may change before they are done.
 */
public final class DeviceMemory extends DriverObject {
  /** The size of the staging buffer through which a segment on the heap is copied, in bytes. */
  private static final long STAGE_BYTES = 64L << 20;
  /** The driver's stream for calls that name none. */
  private static final long NO_STREAM = 0;

  private final long address;
  private final long byteSize;
  private final LongConsumer free;

  private DeviceMemory(Gpu gpu, long address, long bytes, LongConsumer free) {
    super(gpu);
    this.address = address;
    this.byteSize = bytes;
    this.free = free;
  }

  static DeviceMemory allocate(Gpu gpu, long bytes) {
    requirePositive(bytes);
    var driver = gpu.driver();
    long address = Capture.permitting(driver,
        () -> driver.get("cuMemAlloc_v2", "allocating " + bytes + " bytes on " + gpu, bytes));
    return new DeviceMemory(gpu, address, bytes, a -> driver.result("cuMemFree_v2", a));
  }

  static DeviceMemory pooled(Gpu gpu, long address, long bytes, LongConsumer free) {
    return new DeviceMemory(gpu, address, bytes, free);
  }

  static DeviceMemory foreign(Gpu gpu, long address, long bytes) {
    requirePositive(bytes);
    return new DeviceMemory(gpu, address, bytes, _ -> {});
  }

  static void requirePositive(long bytes) {
    if (bytes <= 0) throw new IllegalArgumentException("cannot allocate " + bytes + " bytes; ask for at least one");
  }

  public long byteSize() {
    return byteSize;
  }

  /** Where the memory begins on the device. */
  public long address() {
    requireOpen();
    return address;
  }

  /** Copies the whole segment to the beginning. */
  public void copyFrom(MemorySegment source) {
    copyFrom(source, 0);
  }

  /** Copies the whole segment to {@code offset} bytes after the beginning. */
  public void copyFrom(MemorySegment source, long offset) {
    require(offset, source.byteSize());
    for (long at = 0; at < source.byteSize(); at += STAGE_BYTES) {
      long bytes = Math.min(STAGE_BYTES, source.byteSize() - at);
      try (var arena = Arena.ofConfined()) {
        var chunk = nativeSlice(source, at, bytes, arena);
        if (!source.isNative()) chunk.copyFrom(source.asSlice(at, bytes));
        driver().call("cuMemcpyHtoD_v2", this, address + offset + at, chunk.address(), bytes);
      }
    }
    finish();
  }

  /** The driver returns from fills, and from copies of pageable memory that it has staged, before they are done. */
  private void finish() {
    driver().call("cuStreamSynchronize", this, NO_STREAM);
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
    for (long at = 0; at < target.byteSize(); at += STAGE_BYTES) {
      long bytes = Math.min(STAGE_BYTES, target.byteSize() - at);
      try (var arena = Arena.ofConfined()) {
        var chunk = nativeSlice(target, at, bytes, arena);
        driver().call("cuMemcpyDtoH_v2", this, chunk.address(), address + offset + at, bytes);
        if (!target.isNative()) target.asSlice(at, bytes).copyFrom(chunk);
      }
    }
  }

  /** Enqueues a copy of all of the pinned memory to the beginning. */
  public void copyFrom(HostMemory source, Stream stream) {
    copy(this, address, source, source.address(), source.byteSize(), stream);
  }

  /** Enqueues a copy from the beginning that fills all of the pinned memory. */
  public void copyTo(HostMemory target, Stream stream) {
    copy(target, target.address(), this, address, target.byteSize(), stream);
  }

  /** Enqueues a copy of all of another memory to the beginning; it may be another GPU's. */
  public void copyFrom(DeviceMemory source, Stream stream) {
    copy(this, address, source, source.address, source.byteSize, stream);
  }

  private void copy(DriverObject target, long to, DriverObject source, long from, long bytes, Stream stream) {
    stream.enter();
    stream.use(target);
    stream.use(source);
    require(0, bytes);
    driver().call("cuMemcpyAsync", this, to, from, bytes, stream.handle());
  }

  /** Sets every byte. */
  public void fill(byte value) {
    enter();
    driver().call("cuMemsetD8_v2", this, address, Byte.toUnsignedLong(value), byteSize);
    finish();
  }

  /** Enqueues setting every byte. */
  public void fill(byte value, Stream stream) {
    stream.enter();
    stream.use(this);
    driver().call("cuMemsetD8Async", this, address, Byte.toUnsignedLong(value), byteSize, stream.handle());
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
    free.accept(address);
  }

  @Override
  public String toString() {
    return "device memory 0x" + Long.toHexString(address) + " of " + byteSize + " bytes";
  }
}
