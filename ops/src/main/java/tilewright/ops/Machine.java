package tilewright.ops;

import java.lang.foreign.MemorySegment;
import java.util.Map;
import java.util.Optional;
import tilewright.device.Stream;
import tilewright.kernel.Target;
import tilewright.kernels.registry.KernelRegistry;

/** What runs launches in order, and its memory: the simulator or a GPU. Any thread may use it. */
interface Machine {

  /** Allocates memory, contents undefined. */
  Storage allocate(long bytes);

  /** Fills all of a storage with zeros, behind all launches so far. */
  void clear(Storage storage);

  /**
   * Memory that others own.
   *
   * @param address where the storage begins
   * @param atRelease run when the storage is closed
   */
  Storage foreign(long address, long bytes, Runnable atRelease);

  /** @throws IllegalArgumentException unless a tensor lies in this machine's memory */
  void requireDevice(DlPack tensor);

  /** Where a storage begins. */
  long address(Storage storage);

  /** Copies bytes from the host, behind all launches so far. */
  void write(Storage to, long offset, MemorySegment from);

  /** Copies bytes to the host once all launches so far are done. */
  void read(Storage from, long offset, MemorySegment to);

  /** Loads the code of launches. */
  Executable load(Plan plan);

  /** Waits for all launches so far. */
  void synchronize();

  /** The stream that launches are enqueued on, where there is one. */
  default Optional<Stream> stream() {
    return Optional.empty();
  }

  /**
   * Runs a check before each wait for launches, until the returned action is run. Where launches are done at once,
   * there is nothing to check.
   */
  default Runnable beforeWaits(Runnable check) {
    return () -> {};
  }

  /** Runs a call that enqueues work, or records it during a capture that the machine does not make by itself. */
  default void enqueue(Runnable work) {
    work.run();
  }

  /** Records what calls enqueue instead of running it. */
  Ops.Captured capture(Runnable calls);

  /** Whether calls are captured. */
  boolean isCapturing();

  /** The kernels that it has room for. */
  KernelRegistry kernels();

  /** How well it runs kernels of a target, compared with others; not at all where it is negative. */
  int preference(Target target);

  void close();

  /** The code of a plan. */
  interface Executable {
    /** Runs it, or enqueues it, on buffers by their names. */
    void run(Map<String, Storage.Place> places);

    /** Gives back memory of its own. */
    void close();
  }
}
