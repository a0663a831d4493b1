package tilewright.device;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/** Memory of the host that the GPU copies from and to by itself (page-locked), while the host does other things. */
public final class HostMemory extends DriverObject {
  private static final int PORTABLE = 1;

  private final long address;
  private final Arena arena = Arena.ofShared();
  private final MemorySegment segment;

  @SuppressWarnings("restricted")
  HostMemory(Gpu gpu, long bytes) {
    super(gpu);
    DeviceMemory.requirePositive(bytes);
    enter();
    address = driver().get("cuMemHostAlloc", "allocating " + bytes + " bytes of pinned memory", bytes, PORTABLE);
    segment = MemorySegment.ofAddress(address).reinterpret(bytes, arena, _ -> {});
  }

  /** The bytes; a use after closing throws {@link IllegalStateException}. */
  public MemorySegment segment() {
    requireOpen();
    return segment;
  }

  public long byteSize() {
    return segment.byteSize();
  }

  long address() {
    requireOpen();
    return address;
  }

  @Override
  void release() {
    arena.close();
    driver().result("cuMemFreeHost", address);
  }

  @Override
  public String toString() {
    return "pinned memory 0x" + Long.toHexString(address) + " of " + segment.byteSize() + " bytes";
  }
}
