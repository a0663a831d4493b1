package tilewright.layout.bank;

import java.util.HashSet;
import tilewright.layout.OffsetMap;

/**
 * The cost of one access by a warp in global memory, which moves sectors of 32 bytes in lines of 128.
 *
 * @param sectors that the access touches
 * @param ideal as many as its distinct bytes need at least
 */
public record SectorCount(int sectors, int ideal, int lines) {
  private static final int SECTOR_BYTES = 32;
  private static final int LINE_BYTES = 128;

  /** @param memory index → element of global memory, whose first element is aligned to a line */
  public static SectorCount of(OffsetMap memory, int elementBytes, AccessPattern pattern) {
    var bytes = new HashSet<Long>();
    var sectors = new HashSet<Long>();
    var lines = new HashSet<Long>();
    for (long first : pattern.bytes(memory, elementBytes)) {
      for (var at = first; at < first + pattern.accessBytes(); at++) {
        bytes.add(at);
        sectors.add(Math.floorDiv(at, (long) SECTOR_BYTES));
        lines.add(Math.floorDiv(at, (long) LINE_BYTES));
      }
    }
    return new SectorCount(sectors.size(), Math.ceilDiv(bytes.size(), SECTOR_BYTES), lines.size());
  }
}
