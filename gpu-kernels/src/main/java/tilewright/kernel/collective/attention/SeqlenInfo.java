package tilewright.kernel.collective.attention;

import java.util.Optional;
import tilewright.kernel.GlobalTensor;
import tilewright.kernel.I32;

/**
 * The rows of a sequence's queries and keys in their tensors.
 *
 * @param firstQuery row of Q where the sequence begins
 * @param firstKey row of K and V where it begins
 * @param before rows before that with which its first block of keys begins, if copies need that; no query sees them
 */
public record SeqlenInfo(I32 firstQuery, I32 queries, I32 firstKey, I32 keys, Optional<I32> before) {

  /** Blocks of keys begin with the sequence's first. */
  public SeqlenInfo(I32 firstQuery, I32 queries, I32 firstKey, I32 keys) {
    this(firstQuery, queries, firstKey, keys, Optional.empty());
  }

  /** Every batch entry has the same lengths. */
  public static SeqlenInfo fixed(I32 queries, I32 keys) {
    return new SeqlenInfo(queries.constant(0), queries, keys.constant(0), keys);
  }

  /**
   * Sequences one after the other: entry b has rows cu[b] to before cu[b + 1].
   *
   * @param cuQueries (batch + 1) of 32-bit integers; likewise {@code cuKeys}
   */
  public static SeqlenInfo packed(GlobalTensor cuQueries, GlobalTensor cuKeys, I32 entry) {
    var firstQuery = bound(cuQueries, entry);
    var firstKey = bound(cuKeys, entry);
    return new SeqlenInfo(firstQuery, bound(cuQueries, entry.plus(1)).minus(firstQuery), firstKey,
        bound(cuKeys, entry.plus(1)).minus(firstKey));
  }

  /**
   * Every batch entry has the same queries, and room for the same number of keys, of which it has some.
   *
   * @param firstKey row of K and V where the entry's room begins
   * @param lengths (batch) of 32-bit integers
   * @param padding (batch) of 32-bit integers: rows before an entry's first key, which its length counts
   */
  public static SeqlenInfo used(I32 queries, I32 firstKey, I32 room, GlobalTensor lengths,
      Optional<GlobalTensor> padding, I32 entry) {
    var end = bound(lengths, entry).min(room);
    if (padding.isEmpty()) return new SeqlenInfo(queries.constant(0), queries, firstKey, end);
    var before = bound(padding.get(), entry).min(end);
    return new SeqlenInfo(queries.constant(0), queries, firstKey.plus(before), end.minus(before));
  }

  /** Returns these rows, with blocks of keys that begin at multiples of a number of rows. */
  public SeqlenInfo withBlocksAt(int multiple) {
    return new SeqlenInfo(firstQuery, queries, firstKey, keys, Optional.of(firstKey.modulo(multiple)));
  }

  /** The key with which a block begins; negative where that is before the sequence. */
  public I32 firstKeyOf(I32 block, int keysPerBlock) {
    var key = block.times(keysPerBlock);
    return before.map(key::minus).orElse(key);
  }

  /** These rows with those before them, as blocks divide them. */
  SeqlenInfo divided() {
    return before.map(b -> new SeqlenInfo(firstQuery, queries, firstKey.minus(b), keys.plus(b))).orElse(this);
  }

  private static I32 bound(GlobalTensor cu, I32 entry) {
    return cu.at(entry).loadInteger(GlobalTensor.MAX_EXTENT);
  }

  /** Returns these rows, for numbers that are computed from them here, and not before. */
  public SeqlenInfo settled() {
    return new SeqlenInfo(firstQuery.settled(), queries.settled(), firstKey.settled(), keys.settled(),
        before.map(I32::settled));
  }

  /** The key at the position of the first query; negative with fewer keys than queries. */
  I32 shift() {
    return keys.minus(queries);
  }
}
