package tilewright.simulator.tensormap;

import java.util.ArrayList;
import java.util.List;
import java.util.random.RandomGenerator;

/**
 * Bytes that are contiguous both in global memory and, before the swizzle, in shared memory; those outside the tensor
 * are filled by loads and skipped by stores.
 *
 * @param shared where the row begins, in bytes from the beginning of the box in shared memory
 * @param bytes in shared memory
 * @param first the first of these that lies in the tensor
 * @param inside how many lie in the tensor
 * @param global where the first of them lies, in bytes from the beginning of the tensor
 */
public record BoxRow(int shared, int bytes, int first, int inside, long global) {
  private static final int GRANULE = 16;
  private static final int MOST_PIECES = 4;

  /** A row that lies wholly in memory. */
  public static BoxRow of(int shared, int bytes, long global) {
    return new BoxRow(shared, bytes, 0, bytes, global);
  }

  /** A row that lies wholly outside the tensor. */
  public static BoxRow outside(int shared, int bytes) {
    return new BoxRow(shared, bytes, 0, 0, 0);
  }

  /** The bytes of several rows in shared memory. */
  public static int bytes(List<BoxRow> rows) {
    int sum = 0;
    for (var row : rows) sum += row.bytes;
    return sum;
  }

  /** The row that a store takes: where the tensor ends within sixteen bytes, all of them (as an H200 does it). */
  public BoxRow stored() {
    return new BoxRow(shared, bytes, first, Math.ceilDiv(inside, GRANULE) * GRANULE, global);
  }

  /** Cuts so many contiguous bytes into a few rows at multiples of 16 bytes. */
  public static List<BoxRow> contiguous(int bytes, RandomGenerator random) {
    var rows = new ArrayList<BoxRow>();
    for (int at = 0; at < bytes; at += rows.getLast().bytes()) {
      int units = (bytes - at) / GRANULE;
      boolean last = units < 2 || rows.size() == MOST_PIECES - 1;
      rows.add(of(at, last ? bytes - at : GRANULE * (1 + random.nextInt(units)), at));
    }
    return rows;
  }

  /** Shares rows out among pieces that may arrive apart. */
  public static List<List<BoxRow>> pieces(List<BoxRow> rows, RandomGenerator random) {
    int count = Math.min(rows.size(), 1 + random.nextInt(MOST_PIECES));
    var pieces = new ArrayList<List<BoxRow>>();
    for (int i = 0; i < count; i++) {
      pieces.add(rows.subList(rows.size() * i / count, rows.size() * (i + 1) / count));
    }
    return pieces;
  }
}
