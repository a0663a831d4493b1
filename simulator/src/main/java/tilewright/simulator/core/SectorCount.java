package tilewright.simulator.core;

import java.util.Arrays;

/** Counts the 32-byte sectors of global memory that one warp access touches. */
final class SectorCount {
  private static final int SECTOR_BITS = 5;
  private static final int SECTOR = 1 << SECTOR_BITS;

  private final int[] touched = new int[Warp.LANES];

  int of(int[] offsets, int mask, int bytes) {
    int n = 0;
    boolean ascending = true;
    for (int rest = mask; rest != 0; rest &= rest - 1) {
      // Accesses are aligned and of at most 32 bytes, so each lies in one sector.
      int sector = offsets[Integer.numberOfTrailingZeros(rest)] >>> SECTOR_BITS;
      if (n > 0 && touched[n - 1] == sector) continue;
      ascending &= n == 0 || touched[n - 1] < sector;
      touched[n++] = sector;
    }
    if (ascending) return n;
    Arrays.sort(touched, 0, n);
    int different = 1;
    for (int i = 1; i < n; i++) if (touched[i] != touched[i - 1]) different++;
    return different;
  }

  /** What the bytes of all lanes fill, side by side; lanes that share an address still count. */
  int ideal(int mask, int bytes) {
    return Math.max(1, (Integer.bitCount(mask) * bytes + SECTOR - 1) / SECTOR);
  }
}
