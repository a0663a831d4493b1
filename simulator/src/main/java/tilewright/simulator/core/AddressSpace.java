package tilewright.simulator.core;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.IntFunction;
import tilewright.simulator.DeviceMemory;
import tilewright.simulator.HeapMemory;

/**
 * The generic address space of a launch. Every buffer has a window of 2⁴⁰ bytes for itself, so an index that leaves
 * its buffer never lands in another; window 0 is empty, so that null and small addresses fault.
 */
public final class AddressSpace {
  public static final int WINDOW_BITS = 40;
  public static final long OFFSETS = (1L << WINDOW_BITS) - 1;
  private static final int SHARED = 0x7F_FFF0;
  private static final int LOCAL = 0x7F_FFF1;
  private static final int PARAMETERS = 0x7F_FFF2;
  private static final int CODE = 0x7F_FFF3;
  private static final int FUNCTION_BYTES = 16;
  public static final long SHARED_WINDOW = (long) SHARED << WINDOW_BITS;
  public static final long LOCAL_WINDOW = (long) LOCAL << WINDOW_BITS;
  public static final long PARAMETER_WINDOW = (long) PARAMETERS << WINDOW_BITS;
  /** Bits below a rank: in a cluster, the CTA of rank r has the addresses from r·2²⁴ in the shared window. */
  public static final int RANK_BITS = 24;
  /** The bits of an address within a CTA's own part of the shared window. */
  public static final int IN_CTA = (1 << RANK_BITS) - 1;
  private static final byte[] NOTHING = {};

  /** By window; null where memory that outlives the launch has not been used yet. */
  private final byte[][] buffers;
  private final IntFunction<String> names;
  private final Optional<DeviceMemory> memory;
  private final Optional<DeviceHeap.Listener> listener;
  private final DeviceHeap heap;
  /** By position of a buffer that the device does not reach, why. */
  private final Map<Integer, String> unreachable;

  /** @param listener hears of the device heap's allocations */
  public AddressSpace(List<String> names, List<byte[]> contents, Optional<DeviceHeap.Listener> listener) {
    this(names, contents, Map.of(), new HeapMemory(), listener);
  }

  /**
   * The space of a launch on memory that outlives it.
   *
   * @param workspace the contents of a window behind that memory, for {@link GridWorkspace}
   * @param listener hears of what is used of the memory, and of the device heap's allocations
   */
  public AddressSpace(DeviceMemory memory, Optional<byte[]> workspace, Optional<DeviceHeap.Listener> listener) {
    int windows = memory.windows();
    names = window -> window == windows ? GridWorkspace.NAME : memory.name(window).orElse("");
    this.listener = listener;
    unreachable = Map.of();
    this.memory = Optional.of(memory);
    buffers = new byte[windows + (workspace.isPresent() ? 1 : 0)][];
    buffers[0] = NOTHING;
    workspace.ifPresent(bytes -> {
      listener.ifPresent(l -> l.allocated(windows, bytes.length, true));
      buffers[windows] = bytes;
    });
    heap = new DeviceHeap(memory.heap(), listener);
  }

  private synchronized byte[] open(int window) {
    if (buffers[window] != null) return buffers[window];
    var opened = memory.orElseThrow().open(window);
    listener.ifPresent(l -> l.allocated(window, opened.contents().length, opened.initialised()));
    buffers[window] = opened.contents();
    return opened.contents();
  }

  /**
   * The space of one device of several, which have the same windows.
   *
   * @param contents by position; empty for buffers that the device does not reach
   * @param unreachable by position of such a buffer, why
   * @param heap of all devices
   */
  public AddressSpace(List<String> names, List<byte[]> contents, Map<Integer, String> unreachable, HeapMemory heap,
      Optional<DeviceHeap.Listener> listener) {
    this.names = window -> names.get(window - 1);
    this.listener = listener;
    this.unreachable = Map.copyOf(unreachable);
    memory = Optional.empty();
    buffers = new byte[contents.size() + 1][];
    buffers[0] = NOTHING;
    for (int i = 0; i < contents.size(); i++) buffers[i + 1] = contents.get(i);
    this.heap = new DeviceHeap(heap, listener);
  }

  /** The reason why the device cannot reach the memory at an address although it is there. */
  public Optional<String> unreachable(long address) {
    return Optional.ofNullable(unreachable.get(window(address) - 1));
  }

  /** The address where the buffer at a position begins. */
  public static long base(int position) {
    return (long) (position + 1) << WINDOW_BITS;
  }

  /** The address of the device function at a position. */
  public static long function(int position) {
    return ((long) CODE << WINDOW_BITS) + (long) FUNCTION_BYTES * position;
  }

  /** The position of the device function at an address; negative if none can be there. */
  static int functionAt(long address) {
    boolean possible = window(address) == CODE && address % FUNCTION_BYTES == 0;
    return possible ? (int) Math.min((address & OFFSETS) / FUNCTION_BYTES, Integer.MAX_VALUE) : -1;
  }

  /** Whether a generic address lies in a space, given by its window; 0 stands for global and constant memory. */
  public static boolean isWithin(long address, long space) {
    return space == 0 ? window(address) < SHARED : window(address) == window(space);
  }

  /** Whether a generic address lies in the shared memory that begins at an address of the shared window. */
  public static boolean isOwnShared(long address, long base) {
    return address >>> RANK_BITS == SHARED_WINDOW + base >>> RANK_BITS;
  }

  /** Where in its buffer, its CTA's shared memory or its thread's local memory a generic address lies. */
  public static long offset(long address) {
    return address & (isShared(address) ? IN_CTA : OFFSETS);
  }

  public static int window(long address) {
    return (int) (address >>> WINDOW_BITS);
  }

  public static boolean isShared(long address) {
    return window(address) == SHARED;
  }

  public static boolean isLocal(long address) {
    return window(address) == LOCAL;
  }

  public static boolean isParameter(long address) {
    return window(address) == PARAMETERS;
  }

  /** The buffer an address points into; an empty one if it points nowhere. */
  public byte[] buffer(long address) {
    int window = window(address);
    if (window > 0 && window < buffers.length) {
      var buffer = buffers[window];
      return buffer != null ? buffer : open(window);
    }
    var allocation = heap.at(window);
    return allocation == null ? NOTHING : allocation;
  }

  DeviceHeap heap() {
    return heap;
  }

  /** The name of the buffer an address points into, or the empty text. */
  public String name(long address) {
    int window = window(address);
    return window > 0 && window < buffers.length ? names.apply(window) : "";
  }

  /** The address of the last buffer. */
  long last() {
    return base(buffers.length - 2);
  }

  public String describe(long address) {
    int window = window(address);
    if (isShared(address)) {
      int rank = ClusterAddresses.rank(address);
      return "shared memory" + (rank == 0 ? "" : " of rank " + rank) + " + " + (address & IN_CTA);
    }
    if (isLocal(address)) return "local memory + " + (address & OFFSETS);
    if (heap.at(window) != null) return heap.describe(window, address & OFFSETS);
    if (isParameter(address)) return "parameters + " + (address & OFFSETS);
    if (isNamed(window)) {
      return "buffer '" + names.apply(window) + "' of " + buffer(address).length + " bytes, offset "
          + (address & OFFSETS);
    }
    // An offset below zero borrows from the window: name the buffer it was meant for.
    int above = window(address + (1L << (WINDOW_BITS - 1)));
    if (isNamed(above) && above != window) {
      return "buffer '" + names.apply(above) + "', offset " + (address - ((long) above << WINDOW_BITS));
    }
    return "address 0x" + Long.toHexString(address) + ", which is in no buffer";
  }

  private boolean isNamed(int window) {
    return window > 0 && window < buffers.length && !names.apply(window).isEmpty();
  }
}
