package tilewright.ops;

import java.util.Optional;
import tilewright.numerics.ElementType;

/**
 * Keys and values of sequences that grow: rows of an entry for each sequence, or pages whose numbers a table has.
 *
 * @param keys (B,rows,Hk,D), or (pages,rows,Hk,D) with a table; entries lie one after the other
 * @param values (B,rows,Hk,Dv), or (pages,rows,Hk,Dv)
 * @param lengths i32 (B): rows in use, which the launch reads
 * @param table i32 (B,pages of an entry), of a cache of pages
 */
public record KeyValueCache(DeviceTensor keys, DeviceTensor values, DeviceTensor lengths,
    Optional<DeviceTensor> table) {
  private static final int MODES = 4;

  public KeyValueCache {
    if (keys.rank() != MODES || values.rank() != MODES || keys.type() != values.type()
        || keys.size(0) != values.size(0) || keys.size(1) != values.size(1) || keys.size(2) != values.size(2)) {
      throw new IllegalArgumentException("keys " + keys + " and values " + values
          + " do not fit: needed are (B,rows,Hk,D) and (B,rows,Hk,Dv), or pages in the place of B");
    }
    long entries = table.filter(t -> t.rank() == 2).map(t -> t.size(0)).orElse(keys.size(0));
    requireIntegers("lengths are ", lengths, 1, entries);
    table.ifPresent(t -> requireIntegers("the table is ", t, 2, entries));
  }

  private static void requireIntegers(String what, DeviceTensor tensor, int rank, long entries) {
    if (tensor.type() != ElementType.I32 || tensor.rank() != rank || tensor.size(0) != entries) {
      throw new IllegalArgumentException(what + tensor + ": needed are i32(" + entries
          + (rank == 1 ? ")" : ",pages of an entry)"));
    }
  }

  /** Rows of an entry for each sequence. */
  public static KeyValueCache of(DeviceTensor keys, DeviceTensor values, DeviceTensor lengths) {
    return new KeyValueCache(keys, values, lengths, Optional.empty());
  }

  /** Pages. */
  public static KeyValueCache paged(DeviceTensor keys, DeviceTensor values, DeviceTensor table, DeviceTensor lengths) {
    return new KeyValueCache(keys, values, lengths, Optional.of(table));
  }

  /** The sequences. */
  long batch() {
    return lengths.size(0);
  }

  /** The rows that a sequence has room for. */
  long room() {
    return keys.size(1) * table.map(t -> t.size(1)).orElse(1L);
  }
}
