package tilewright.device;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.Arena;

/**
 * Device memory whose allocations and releases are work of a stream: memory released on a stream is there for the
 * stream's next allocation without waiting for the device.
 */
public final class MemoryPool extends DriverObject {
  private final long handle;

  /** @param retainedBytes what stays reserved when nothing is allocated, instead of going back to the driver */
  MemoryPool(Gpu gpu, long retainedBytes) {
    super(gpu);
    enter();
    try (var arena = Arena.ofConfined()) {
      var properties = arena.allocate(Properties.BYTES, Long.BYTES);
      properties.set(JAVA_INT, Properties.ALLOCATION_TYPE, Properties.PINNED);
      properties.set(JAVA_INT, Properties.LOCATION_TYPE, Properties.DEVICE);
      properties.set(JAVA_INT, Properties.LOCATION_ID, gpu.properties().index());
      handle = driver().get("cuMemPoolCreate", "creating a memory pool", properties.address());
      var threshold = arena.allocate(JAVA_LONG);
      threshold.set(JAVA_LONG, 0, retainedBytes);
      driver().call("cuMemPoolSetAttribute", this, handle, Properties.RELEASE_THRESHOLD, threshold.address());
    }
  }

  /**
   * Allocates for work that the stream gets from now on; closing the memory releases it behind the work that the stream
   * has by then.
   */
  public DeviceMemory allocate(long bytes, Stream stream) {
    DeviceMemory.requirePositive(bytes);
    requireOpen();
    stream.enter();
    long address = driver().get("cuMemAllocFromPoolAsync", this, bytes, handle, stream.handle());
    return gpu().register(DeviceMemory.pooled(gpu(), address, bytes, a -> {
      if (stream.isClosed()) driver().result("cuMemFree_v2", a);
      else driver().result("cuMemFreeAsync", a, stream.handle());
    }));
  }

  /** Bytes in allocations that are not released yet. */
  public long usedBytes() {
    return attribute(Properties.USED_CURRENT);
  }

  /** Bytes that the pool holds of the device. */
  public long reservedBytes() {
    return attribute(Properties.RESERVED_CURRENT);
  }

  /** Gives back to the driver what is not used, down to so many reserved bytes. */
  public void trimTo(long bytes) {
    enter();
    driver().call("cuMemPoolTrimTo", this, handle, bytes);
  }

  private long attribute(int attribute) {
    enter();
    try (var arena = Arena.ofConfined()) {
      var out = arena.allocate(JAVA_LONG);
      driver().call("cuMemPoolGetAttribute", this, handle, attribute, out.address());
      return out.get(JAVA_LONG, 0);
    }
  }

  @Override
  void release() {
    driver().result("cuMemPoolDestroy", handle);
  }

  @Override
  public String toString() {
    return "memory pool of " + gpu();
  }

  /** {@code CUmemPoolProps} and {@code CUmemPool_attribute} (cuda.h, 64 bit). */
  private static final class Properties {
    static final long ALLOCATION_TYPE = 0;
    static final long LOCATION_TYPE = 8;
    static final long LOCATION_ID = 12;
    static final long BYTES = 88;
    static final int PINNED = 1;
    static final int DEVICE = 1;
    static final int RELEASE_THRESHOLD = 4;
    static final int RESERVED_CURRENT = 5;
    static final int USED_CURRENT = 7;
  }
}
