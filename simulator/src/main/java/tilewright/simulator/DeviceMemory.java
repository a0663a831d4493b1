package tilewright.simulator;

import java.util.Arrays;
import java.util.Optional;

/**
 * Global memory that outlives launches, as a GPU's does. Each allocation has an address window of 2⁴⁰ bytes for itself,
 * which is not given out again, so that an index that leaves an allocation, or a pointer to one that was freed, never
 * lands in another. A {@link ResidentProgram} keeps its variables here.
 */
public final class DeviceMemory {
  /** The window of the first allocation: from here on no address is one of a process on x86-64 or AArch64 Linux. */
  public static final int FIRST_WINDOW = 1 << 8;
  private static final int WINDOW_BITS = 40;
  /** The addresses that each allocation has for itself. */
  public static final long WINDOW_BYTES = 1L << WINDOW_BITS;
  private static final int END_WINDOW = HeapMemory.FIRST_WINDOW;
  private static final byte[] NOTHING = {};

  private Allocation[] allocations = new Allocation[2 * FIRST_WINDOW];
  private int next = FIRST_WINDOW;
  private final Listener listener;
  private final HeapMemory heap = new HeapMemory();

  /** Hears of the memory that a launch uses. */
  @FunctionalInterface
  public interface Listener {
    /**
     * A launch is about to access an allocation for the first time; called by one thread at a time.
     *
     * @param contents what the launch will find there, which may be changed
     */
    void touched(long address, byte[] contents);
  }

  private static final class Allocation {
    private final String name;
    private final int bytes;
    private byte[] contents = NOTHING;
    private boolean initialised;

    Allocation(String name, int bytes) {
      this.name = name;
      this.bytes = bytes;
    }
  }

  public DeviceMemory(Listener listener) {
    this.listener = listener;
  }

  /**
   * Makes an allocation, whose contents are undefined, and returns its address.
   *
   * @throws IllegalStateException if all addresses have been given out
   */
  public synchronized long allocate(String name, int bytes) {
    if (next == END_WINDOW) {
      throw new IllegalStateException("the simulator's addresses are used up after " + (END_WINDOW - FIRST_WINDOW)
          + " allocations: allocate once and use the memory again");
    }
    int window = next++;
    place(window, name, bytes);
    return (long) window << WINDOW_BITS;
  }

  /**
   * Makes an allocation at the beginning of a window, whose contents are undefined: below {@link #FIRST_WINDOW} for
   * memory that a process has at the same address; above, where {@link #allocate} gave out the address and the
   * allocation has been freed.
   *
   * @throws IllegalArgumentException if the address is no such beginning
   */
  public synchronized void allocateAt(long address, String name, int bytes) {
    long window = address >>> WINDOW_BITS;
    boolean known = window > 0 && window < next && (window < FIRST_WINDOW || at((int) window).isEmpty());
    if (window << WINDOW_BITS != address || !known) {
      throw new IllegalArgumentException("address 0x" + Long.toHexString(address) + " is not the beginning of one of "
          + "the windows 1 to " + (FIRST_WINDOW - 1) + " of 2^40 bytes, nor of one that was given out and is free");
    }
    place((int) window, name, bytes);
  }

  private void place(int window, String name, int bytes) {
    if (window >= allocations.length) allocations = Arrays.copyOf(allocations, 2 * allocations.length);
    allocations[window] = new Allocation(name, bytes);
  }

  /** Frees the allocation at an address; nothing happens if there is none. */
  public synchronized void free(long address) {
    at(window(address)).ifPresent(_ -> allocations[window(address)] = null);
  }

  /** The bytes of the allocation that an address lies in, to read and to write between launches. */
  public synchronized byte[] contents(long address) {
    return at(window(address)).map(DeviceMemory::contents).orElse(NOTHING);
  }

  /** Notes that what an allocation holds is defined. */
  public synchronized void initialise(long address) {
    at(window(address)).ifPresent(a -> a.initialised = true);
  }

  private static byte[] contents(Allocation a) {
    if (a.contents.length != a.bytes) a.contents = new byte[a.bytes];
    return a.contents;
  }

  private static int window(long address) {
    return (int) (address >>> WINDOW_BITS);
  }

  private Optional<Allocation> at(int window) {
    return window < allocations.length ? Optional.ofNullable(allocations[window]) : Optional.empty();
  }

  /** The memory that kernels have allocated by themselves. */
  public HeapMemory heap() {
    return heap;
  }

  /** One more than the last window in use. */
  public synchronized int windows() {
    return next;
  }

  /** The name of the allocation in a window, if there is one. */
  public synchronized Optional<String> name(int window) {
    return at(window).map(a -> a.name);
  }

  /** Opens a window for a launch, which may write all of it. */
  public synchronized Opened open(int window) {
    var found = at(window);
    if (found.isEmpty()) return new Opened(NOTHING, true);
    var allocation = found.get();
    listener.touched((long) window << WINDOW_BITS, contents(allocation));
    boolean initialised = allocation.initialised;
    // What the launch leaves unwritten is not known behind it.
    allocation.initialised = true;
    return new Opened(contents(allocation), initialised);
  }

  /**
   * An allocation as a launch finds it.
   *
   * @param initialised whether anything was written to it
   */
  public record Opened(byte[] contents, boolean initialised) {}
}
