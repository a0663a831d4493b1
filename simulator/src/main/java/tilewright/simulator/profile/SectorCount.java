package tilewright.simulator.profile;

import tilewright.simulator.core.Warp;

/** Counts the 32-byte sectors of global memory that one warp access touches. */
final class SectorCount {
  private static final int SECTOR_BITS = 5;
  private static final int SECTOR = 1 << SECTOR_BITS;

  private final DistinctCount touched = new DistinctCount();

  int of(int[] offsets, int mask) {
    touched.clear();
    int last = -1;
    int different = 0;
    for (int rest = mask; rest != 0; rest &= rest - 1) {
      // Accesses are aligned and of at most 32 bytes, so each lies in one sector.
      int lane = Integer.numberOfTrailingZeros(rest);
      int sector = offsets[lane] >>> SECTOR_BITS;
      if (sector != last && !repeated(offsets, mask, lane) && touched.add(sector)) different++;
      last = sector;
    }
    return different;
  }

  /** Whether the lane half a warp before accesses the same place, as in tiles of 16. */
  private static boolean repeated(int[] offsets, int mask, int lane) {
    int before = lane - Warp.LANES / 2;
    return before >= 0 && offsets[before] == offsets[lane] && (mask >>> before & 1) != 0;
  }

  /** The sectors that the bytes of all lanes fill, side by side; lanes that share an address still count. */
  int ideal(int mask, int bytes) {
    return Math.max(1, (Integer.bitCount(mask) * bytes + SECTOR - 1) / SECTOR);
  }
}
