package tilewright.simulator.core;

import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import tilewright.simulator.Finding.Kind;
import tilewright.simulator.HeapMemory;

/** {@code malloc} and {@code free} of a launch's kernels, on memory that may hold allocations of earlier launches. */
public final class DeviceHeap {
  private final HeapMemory memory;
  private final Optional<Listener> listener;
  /** The first window that this launch can allocate. */
  private final int firstOwn;
  /** Earlier launches' allocations that the listener has heard of. */
  private final Set<Integer> told = ConcurrentHashMap.newKeySet();

  /** Hears of what kernels allocate, and what they use of {@link tilewright.simulator.DeviceMemory}. */
  public interface Listener {
    void allocated(int window, int bytes, boolean initialised);
  }

  DeviceHeap(HeapMemory memory, Optional<Listener> listener) {
    this.memory = memory;
    this.listener = listener;
    firstOwn = memory.windows();
  }

  /** {@code malloc}: addresses of new memory, null when there is none left. */
  public static void allocate(Warp w, int mask, long[] bytes, long[] address) {
    for (int lane = 0; lane < Warp.LANES; lane++) {
      if ((mask >>> lane & 1) != 0) address[lane] = w.cta.space.heap().allocate(bytes[lane]);
    }
  }

  /** {@code free}. */
  public static void release(Warp w, int mask, long[] address, int site) {
    for (int lane = 0; lane < Warp.LANES; lane++) {
      if ((mask >>> lane & 1) != 0 && address[lane] != 0 && !w.cta.space.heap().release(address[lane])) {
        throw new Fault(Kind.INVALID_OPERATION, site, lane, address[lane], w.who(lane) + " frees address 0x"
            + Long.toHexString(address[lane]) + ", which malloc did not give or which was freed before");
      }
    }
  }

  private long allocate(long bytes) {
    int window = memory.allocate(bytes);
    if (window != 0) listener.ifPresent(l -> l.allocated(window, (int) bytes, false));
    return (long) window << AddressSpace.WINDOW_BITS;
  }

  private boolean release(long address) {
    return (address & AddressSpace.OFFSETS) == 0 && memory.release(AddressSpace.window(address));
  }

  /** The allocation of a window; null if there never was one. */
  byte[] at(int window) {
    var block = memory.at(window);
    if (block == HeapMemory.NONE) return null;
    // What an earlier launch left unwritten is not known.
    if (window < firstOwn && listener.isPresent() && told.add(window)) {
      listener.get().allocated(window, block.length, true);
    }
    return block;
  }

  String describe(int window, long offset) {
    var block = memory.at(window);
    if (block == HeapMemory.NONE) return "";
    var what = "allocation " + (window - HeapMemory.FIRST_WINDOW) + " of the device heap";
    return block == HeapMemory.FREED ? what + ", which was freed"
        : what + ", of " + block.length + " bytes, offset " + offset;
  }
}
