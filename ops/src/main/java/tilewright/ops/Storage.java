package tilewright.ops;

import java.lang.foreign.MemorySegment;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import tilewright.device.DeviceMemory;

/**
 * Memory that tensors lie in, from an address that is a multiple of {@link #ALIGNMENT} on. Closing it gives it back
 * once, where it is ours.
 */
abstract sealed class Storage {
  /** Bytes that addresses are multiples of: no access and no tensor map needs more. */
  static final long ALIGNMENT = 256;

  private final AtomicBoolean closed = new AtomicBoolean();

  abstract long bytes();

  abstract void release();

  final boolean isClosed() {
    return closed.get();
  }

  final void close() {
    if (closed.compareAndSet(false, true)) release();
  }

  /** Memory of the host, which the simulator computes on. Java's collector frees what is ours. */
  static final class OfHost extends Storage {
    private final MemorySegment segment;
    private final Runnable atRelease;

    OfHost(MemorySegment segment, Runnable atRelease) {
      this.segment = segment;
      this.atRelease = atRelease;
    }

    MemorySegment segment() {
      return segment;
    }

    @Override
    long bytes() {
      return segment.byteSize();
    }

    @Override
    void release() {
      atRelease.run();
    }
  }

  /** Memory of a GPU. */
  static final class OfGpu extends Storage {
    private final DeviceMemory memory;
    private final Consumer<DeviceMemory> atRelease;

    OfGpu(DeviceMemory memory, Consumer<DeviceMemory> atRelease) {
      this.memory = memory;
      this.atRelease = atRelease;
    }

    DeviceMemory memory() {
      return memory;
    }

    @Override
    long bytes() {
      return memory.byteSize();
    }

    @Override
    void release() {
      atRelease.accept(memory);
    }
  }

  /**
   * The part of a storage that a launch's buffer is.
   *
   * @param begin a multiple of {@link #ALIGNMENT}
   */
  record Place(Storage storage, long begin, long bytes) {}
}
