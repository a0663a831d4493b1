package tilewright.simulator;

import java.util.Arrays;

/**
 * The memory that kernels allocate with {@code malloc}, which outlives the launch that did. Every allocation has an
 * address window of its own, like a buffer, so running over its end or using it after {@code free} is found.
 */
public final class HeapMemory {
  /** The window of the first allocation. */
  public static final int FIRST_WINDOW = 1 << 22;
  /** Stands for an allocation that was freed. */
  public static final byte[] FREED = {};
  /** Stands for an allocation that there never was. */
  public static final byte[] NONE = {};
  /** The size of the heap that the CUDA runtime gives a program by default. */
  private static final long DEFAULT_BYTES = 8L << 20;
  private static final int MOST_ALLOCATIONS = 1 << 22;

  private volatile byte[][] blocks = new byte[16][];
  private int count;
  private long used;
  private long limit = DEFAULT_BYTES;

  /** Lets all allocations together have at most that size from now on. */
  public synchronized void limit(long bytes) {
    limit = bytes;
  }

  /** Makes an allocation and returns its window; 0 when there is no memory left. */
  public synchronized int allocate(long bytes) {
    if (bytes <= 0 || bytes > limit - used || bytes > Integer.MAX_VALUE - 16 || count == MOST_ALLOCATIONS) return 0;
    var larger = count == blocks.length ? Arrays.copyOf(blocks, 2 * count) : blocks;
    var block = new byte[(int) bytes];
    // What malloc gives holds anything.
    Arrays.fill(block, (byte) 0xCD);
    larger[count] = block;
    blocks = larger;
    used += bytes;
    return FIRST_WINDOW + count++;
  }

  /** Ends an allocation; returns false if there is none. */
  public synchronized boolean release(int window) {
    int index = window - FIRST_WINDOW;
    if (index < 0 || index >= count || blocks[index] == FREED) return false;
    var same = blocks;
    used -= same[index].length;
    same[index] = FREED;
    blocks = same;
    return true;
  }

  /** The allocation of a window, {@link #FREED} if it was freed, {@link #NONE} if there never was one. */
  public byte[] at(int window) {
    int index = window - FIRST_WINDOW;
    var now = blocks;
    return index >= 0 && index < now.length && now[index] != null ? now[index] : NONE;
  }

  /** One more than the last window in use. */
  public synchronized int windows() {
    return FIRST_WINDOW + count;
  }
}
