package tilewright.simulator.core;

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
      int sector = offsets[Integer.numberOfTrailingZeros(rest)] >>> SECTOR_BITS;
      if (sector != last && touched.add(sector)) different++;
      last = sector;
    }
    return different;
  }

  /** What the bytes of all lanes fill, side by side; lanes that share an address still count. */
  int ideal(int mask, int bytes) {
    return Math.max(1, (Integer.bitCount(mask) * bytes + SECTOR - 1) / SECTOR);
  }
}
