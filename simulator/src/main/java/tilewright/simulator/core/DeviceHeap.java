package tilewright.simulator.core;

import java.util.Arrays;
import java.util.Optional;
import tilewright.simulator.Finding.Kind;

/**
 * The memory that kernels allocate with {@code malloc}. Every allocation has an address window of its own, like a
 * buffer, so running over its end or using it after {@code free} is found.
 */
public final class DeviceHeap {
  /** The size of the heap that the CUDA runtime gives a kernel by default. */
  private static final long MOST_BYTES = 8L << 20;
  private static final int MOST_ALLOCATIONS = 1 << 22;
  private static final byte[] FREED = {};
  /** The window of the first allocation. */
  static final int FIRST_WINDOW = 1 << 22;

  private volatile byte[][] blocks = new byte[16][];
  private final Optional<Listener> listener;
  private int count;
  private long used;

  /** Hears of what kernels allocate, and what they use of {@link tilewright.simulator.DeviceMemory}. */
  public interface Listener {
    void allocated(int window, int bytes, boolean initialised);
  }

  DeviceHeap(Optional<Listener> listener) {
    this.listener = listener;
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

  private synchronized long allocate(long bytes) {
    if (bytes <= 0 || bytes > MOST_BYTES - used || count == MOST_ALLOCATIONS) return 0;
    var larger = count == blocks.length ? Arrays.copyOf(blocks, 2 * count) : blocks;
    var block = new byte[(int) bytes];
    // What malloc gives holds anything.
    Arrays.fill(block, (byte) 0xCD);
    larger[count] = block;
    blocks = larger;
    used += bytes;
    int window = FIRST_WINDOW + count++;
    listener.ifPresent(l -> l.allocated(window, block.length, false));
    return (long) window << AddressSpace.WINDOW_BITS;
  }

  private synchronized boolean release(long address) {
    int index = AddressSpace.window(address) - FIRST_WINDOW;
    boolean valid = (address & AddressSpace.OFFSETS) == 0 && index >= 0 && index < count && blocks[index] != FREED;
    if (!valid) return false;
    var same = blocks;
    used -= same[index].length;
    same[index] = FREED;
    blocks = same;
    return true;
  }

  /** The allocation of a window; null if there never was one. */
  byte[] at(int window) {
    int index = window - FIRST_WINDOW;
    var now = blocks;
    return index >= 0 && index < now.length ? now[index] : null;
  }

  String describe(int window, long offset) {
    var block = at(window);
    if (block == null) return "";
    var what = "allocation " + (window - FIRST_WINDOW) + " of the device heap";
    return block == FREED ? what + ", which was freed" : what + ", of " + block.length + " bytes, offset " + offset;
  }
}
