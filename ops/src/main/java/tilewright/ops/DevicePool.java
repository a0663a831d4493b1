package tilewright.ops;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.function.LongFunction;
import tilewright.device.DeviceMemory;
import tilewright.device.driver.GpuException;

/**
 * Memory of one stream in blocks by size. A block that is given back serves the next allocation of its size: what uses
 * it then comes behind what used it before. A loop that allocates the same sizes in every turn asks the driver in the
 * first one only.
 */
final class DevicePool {
  /** Sizes are multiples of a quarter of the power of two below them: at most a fifth of a block is unused. */
  private static final int STEPS = 4;

  private final LongFunction<DeviceMemory> allocator;
  private final Map<Long, Deque<DeviceMemory>> free = new HashMap<>();
  private final Set<DeviceMemory> all = new HashSet<>();
  /** Blocks that captured work uses, and how many captures that is. */
  private final Map<DeviceMemory, Integer> held = new HashMap<>();
  /** Blocks that are given back once no captured work uses them. */
  private final Set<DeviceMemory> awaited = new HashSet<>();

  DevicePool(LongFunction<DeviceMemory> allocator) {
    this.allocator = allocator;
  }

  static long sizeOf(long bytes) {
    long step = Math.max(Storage.ALIGNMENT, Long.highestOneBit(Math.max(1, bytes)) / STEPS);
    return Math.ceilDiv(Math.max(1, bytes), step) * step;
  }

  synchronized DeviceMemory allocate(long bytes) {
    long size = sizeOf(bytes);
    var blocks = free.get(size);
    if (blocks != null && !blocks.isEmpty()) return blocks.pop();
    DeviceMemory block;
    try {
      block = allocator.apply(size);
    } catch (GpuException _) {
      // What other sizes have left may be enough; if it is not, the driver's reason is the caller's.
      trim();
      block = allocator.apply(size);
    }
    all.add(block);
    return block;
  }

  synchronized void release(DeviceMemory block) {
    if (!all.contains(block)) return;
    if (held.containsKey(block)) awaited.add(block);
    else free.computeIfAbsent(block.byteSize(), _ -> new ArrayDeque<>()).push(block);
  }

  /** Keeps blocks from other use, those that are free included, until they are let go. */
  synchronized void hold(Set<DeviceMemory> blocks) {
    for (var block : blocks) {
      held.merge(block, 1, Integer::sum);
      if (free.getOrDefault(block.byteSize(), new ArrayDeque<>()).remove(block)) awaited.add(block);
    }
  }

  synchronized void letGo(Set<DeviceMemory> blocks) {
    for (var block : blocks) {
      held.computeIfPresent(block, (_, count) -> count > 1 ? count - 1 : null);
      if (!held.containsKey(block) && awaited.remove(block)) release(block);
    }
  }

  /** Gives blocks that nobody uses back to the driver. */
  synchronized void trim() {
    free.values().forEach(blocks -> blocks.forEach(block -> {
      all.remove(block);
      block.close();
    }));
    free.clear();
  }

  synchronized void close() {
    all.forEach(DeviceMemory::close);
    all.clear();
    free.clear();
    awaited.clear();
  }
}
