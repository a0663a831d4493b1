package tilewright.simulator.oracle;

import java.util.ArrayList;
import java.util.List;

/** Memories at fixed addresses, little-endian. */
final class ByteMemory {
  private record Region(long base, byte[] bytes) {}

  private final List<Region> regions = new ArrayList<>();

  /** Makes the array readable and writable from this address on. */
  void map(long base, byte[] bytes) {
    regions.add(new Region(base, bytes));
  }

  long load(long address, int size) {
    var region = regionOf(address, size);
    long value = 0;
    for (int i = 0; i < size; i++) value |= (region.bytes[(int) (address - region.base) + i] & 0xFFL) << 8 * i;
    return value;
  }

  void store(long address, int size, long value) {
    var region = regionOf(address, size);
    for (int i = 0; i < size; i++) region.bytes[(int) (address - region.base) + i] = (byte) (value >>> 8 * i);
  }

  private Region regionOf(long address, int size) {
    return regions.stream().filter(r -> address >= r.base && address + size <= r.base + r.bytes.length).findFirst()
        .orElseThrow(() -> new IllegalStateException("nothing at address 0x" + Long.toHexString(address)));
  }
}
