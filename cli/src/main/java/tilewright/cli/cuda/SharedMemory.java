package tilewright.cli.cuda;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import tilewright.simulator.DeviceMemory;

/**
 * A program's device memory. Both processes have a copy of every allocation, the program's in a file that both map;
 * either is brought up to date when it is needed: the simulator's when a kernel first touches it, the program's when
 * that copies from it. Managed memory is the exception: the program may use it unasked whenever no kernel runs; and so
 * may other processes that it shares an allocation with.
 */
final class SharedMemory implements Allocations, AutoCloseable {
  private final Arena arena = Arena.ofShared();
  private final MemorySegment region;
  private final DeviceMemory memory = new DeviceMemory(this::touched);
  private final Map<Long, Allocation> allocations = new HashMap<>();
  private final List<Long> touched = new ArrayList<>();

  /** An allocation; {@code stale} if the program's copy is the newer one. */
  private static final class Allocation {
    private final MemorySegment program;
    private boolean managed;
    private boolean stale;

    Allocation(MemorySegment program, boolean managed) {
      this.program = program;
      this.managed = managed;
      stale = managed;
    }
  }

  /** Maps the file that a process holds open under a descriptor. */
  SharedMemory(int process, int descriptor, long bytes) throws IOException {
    region = map(process, descriptor, 0, bytes);
  }

  private MemorySegment map(int process, int descriptor, long offset, long bytes) throws IOException {
    var file = Path.of("/proc", Integer.toString(process), "fd", Integer.toString(descriptor));
    try (var channel = FileChannel.open(file, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
      return channel.map(FileChannel.MapMode.READ_WRITE, offset, bytes, arena);
    }
  }

  DeviceMemory memory() {
    return memory;
  }

  /** Makes an allocation whose copy in the program is at an offset of the file, and returns its address. */
  long allocate(long fixed, long offset, int bytes, boolean managed) {
    var name = (managed ? "managed allocation " : "allocation ") + (allocations.size() + 1);
    long address = fixed;
    if (fixed == 0) {
      address = memory.allocate(name, bytes);
    } else {
      memory.allocateAt(fixed, name, bytes);
    }
    if (managed) memory.initialise(address);
    allocations.put(address, new Allocation(region.asSlice(offset, bytes), managed));
    return address;
  }

  /** Lets other processes use the program's copy of an allocation, which is the newer one. */
  void share(long address) {
    var allocation = allocations.get(address);
    allocation.managed = true;
    allocation.stale = true;
    memory.initialise(address);
  }

  /** Makes an allocation of one that another process shares, in that process's file, and returns its address. */
  long open(int process, int descriptor, long offset, int bytes) throws IOException {
    var program = map(process, descriptor, offset, bytes);
    long address = memory.allocate("shared allocation " + (allocations.size() + 1), bytes);
    memory.initialise(address);
    allocations.put(address, new Allocation(program, true));
    return address;
  }

  /** Gives a variable of a module its copy in the program, unless it has one; a managed one begins with its value. */
  void back(long address, long offset, int bytes, boolean managed) {
    if (allocations.containsKey(address)) return;
    allocations.put(address, new Allocation(region.asSlice(offset, bytes), managed));
    if (managed) fetch(address, 0, bytes);
  }

  void free(long address) {
    allocations.remove(address);
    memory.free(address);
  }

  /** Whether an address lies in an allocation that has not been freed. */
  @Override
  public boolean isLive(long address) {
    var allocation = allocations.get(base(address));
    return allocation != null && address - base(address) < allocation.program.byteSize();
  }

  /** The address where the allocation of an address begins. */
  @Override
  public long base(long address) {
    return address & -DeviceMemory.WINDOW_BYTES;
  }

  @Override
  public String name(long address) {
    return memory.name((int) (address / DeviceMemory.WINDOW_BYTES)).orElse("no allocation");
  }

  /** A copy of an allocation as it is now. */
  byte[] snapshot(long address) {
    var allocation = allocations.get(address);
    return allocation != null && allocation.stale ? allocation.program.toArray(ValueLayout.JAVA_BYTE)
        : memory.contents(address).clone();
  }

  /** Brings a range of the program's copy up to date. */
  void fetch(long address, long offset, long bytes) {
    MemorySegment.copy(memory.contents(address), (int) offset, allocations.get(address).program,
        ValueLayout.JAVA_BYTE, offset, (int) bytes);
  }

  /** Brings a range of the simulator's copy up to date. */
  void store(long address, long offset, long bytes) {
    var contents = memory.contents(address);
    MemorySegment.copy(allocations.get(address).program, ValueLayout.JAVA_BYTE, offset, contents, (int) offset,
        (int) bytes);
    memory.initialise(address);
  }

  /** Notes that all of the program's copy is newer. */
  void release(long address) {
    allocations.get(address).stale = true;
    memory.initialise(address);
  }

  /** A kernel touches an allocation first; variables that the program never asked for are here only. */
  private void touched(long address, byte[] contents) {
    var allocation = allocations.get(address);
    if (allocation == null) return;
    if (allocation.stale) {
      MemorySegment.copy(allocation.program, ValueLayout.JAVA_BYTE, 0, contents, 0, contents.length);
      allocation.stale = false;
    }
    touched.add(address);
  }

  /** The allocations that the launch has touched. */
  List<Long> touchedNow() {
    return List.copyOf(touched);
  }

  /** Ends a launch: returns the allocations that it touched, of which the managed ones are the program's again. */
  List<Long> endLaunch() {
    var all = List.copyOf(touched);
    touched.clear();
    for (long address : all) {
      var allocation = allocations.get(address);
      if (!allocation.managed) continue;
      fetch(address, 0, allocation.program.byteSize());
      allocation.stale = true;
    }
    return all;
  }

  @Override
  public void close() {
    arena.close();
  }
}
