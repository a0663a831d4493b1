package tilewright.kernels.attention.serving;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;
import java.util.Map;
import java.util.Optional;

/**
 * How keys and values lie in a cache that fills up, and how their reading is divided.
 *
 * @param splits of the keys
 * @param lengths buffer of a 32-bit integer for each batch entry: its keys in use, at most the problem's. The launch
 *     reads it, so that a captured graph serves other lengths. What lies behind them may be anything, NaN too
 * @param padding buffer of a 32-bit integer for each batch entry: the rows before its first key, which its length
 *     counts and which may be anything too
 * @param pages where the cache is made of pages
 * @param codes where the cache has 8 bits, and Q and O have 16
 * @param tokens where each query sees some tokens of the cache only
 */
public record Serving(KeySplits splits, Optional<String> lengths, Optional<String> padding, Optional<Pages> pages,
    Optional<Codes> codes, Optional<Tokens> tokens) {
  /** Keys and values in whole tensors, split as the kernel likes. */
  public static final Serving NONE = new Serving(KeySplits.AUTOMATIC, Optional.empty(), Optional.empty(),
      Optional.empty(), Optional.empty());

  public Serving {
    if (tokens.isPresent() && (pages.isPresent() || padding.isPresent())) {
      throw new IllegalArgumentException("chosen tokens are rows of the whole cache: leave out the table of pages and "
          + "the left padding");
    }
  }

  /** A cache whose queries see a batch entry's keys. */
  public Serving(KeySplits splits, Optional<String> lengths, Optional<String> padding, Optional<Pages> pages,
      Optional<Codes> codes) {
    this(splits, lengths, padding, pages, codes, Optional.empty());
  }

  /**
   * A cache of e4m3 codes, each of which stands for itself times a factor.
   *
   * @param k the factors of K; likewise {@code v}: both of tokens, or none
   */
  public record Codes(Factor k, Factor v) {
    public Codes {
      if (k.ofTokens() != v.ofTokens()) {
        throw new IllegalArgumentException("factors of " + (k.ofTokens() ? "K" : "V") + " are of tokens, and those of "
            + (k.ofTokens() ? "V" : "K") + " are not: give both for each token");
      }
    }

    /** A factor for each head of each batch entry, in dense buffers descaleK and descaleV (B,Hk). */
    public static Codes perHead(int keyHeads) {
      return new Codes(new Factor("descaleK", 0, 1, keyHeads), new Factor("descaleV", 0, 1, keyHeads));
    }

    /** A factor for all of K and one for all of V, in buffers descaleK and descaleV. */
    public static Codes perTensor() {
      return new Codes(new Factor("descaleK", 0, 0, 0), new Factor("descaleV", 0, 0, 0));
    }

    /**
     * A factor for each head of each token, in dense buffers descaleK and descaleV (B,Sk,Hk), or of a cache of pages
     * (pages, rows, Hk).
     *
     * @param rows of a batch entry or of a page
     */
    public static Codes perToken(int rows, int keyHeads) {
      long entry = (long) rows * keyHeads;
      return new Codes(new Factor("descaleK", keyHeads, 1, entry), new Factor("descaleV", keyHeads, 1, entry));
    }

    /** Whether each token has factors of its own. */
    public boolean ofTokens() {
      return k.ofTokens();
    }

    private void require(Map<String, MemorySegment> buffers, long slot, long row, int head, int entry, int key) {
      float ofK = k.at(buffers, slot, row, head);
      float ofV = v.at(buffers, slot, row, head);
      boolean positive = ofK > 0 && ofK <= Float.MAX_VALUE;
      if (!positive || !(ofV >= Factor.LEAST_OF_VALUES && ofV <= Factor.MOST_OF_VALUES)) {
        throw new IllegalArgumentException("invalid factor " + (positive ? ofV : ofK) + " of " + (positive ? "V" : "K")
            + " of batch entry " + entry + ", key " + key + ", head " + head + ": needed is "
            + (positive ? "2^-20 to 2^7" : "a positive number"));
      }
    }
  }

  /**
   * The place and strides of FP32 factors. Those of tokens lie as the rows of a cache do: (B,Sk,Hk), or of pages
   * (pages, rows, Hk). Factors of V of tokens are from {@link #LEAST_OF_VALUES} to {@link #MOST_OF_VALUES}, in which
   * range their products with P are numbers of f16; those of K are positive and finite.
   *
   * @param token elements from one token's factor to the next, 0 where they share one
   * @param head elements from one head's factor to the next, 0 where they share one
   * @param batch elements between batch entries, or between the pages that tokens lie in, 0 where they share one
   */
  public record Factor(String buffer, long token, long head, long batch) {
    /** The least factor of a token's V. */
    public static final float LEAST_OF_VALUES = 0x1p-20f;
    /** The largest factor of a token's V. */
    public static final float MOST_OF_VALUES = 0x1p7f;

    /** Whether each token has a factor of its own. */
    public boolean ofTokens() {
      return token != 0;
    }

    private float at(Map<String, MemorySegment> buffers, long slot, long row, int head) {
      long end = slot * batch + row * token + head * this.head + 1;
      return Serving.buffer(buffers, buffer, end).getAtIndex(ValueLayout.JAVA_FLOAT_UNALIGNED, end - 1);
    }
  }

  /**
   * A cache of pages: a batch entry's key i is row i mod {@code rows} of the page that its table has at i / rows. K and
   * V have pages in place of batch entries.
   *
   * @param table buffer of 32-bit integers (batch, pages of an entry): numbers of pages; those behind an entry's keys
   *     are not read
   * @param rows of a page
   * @param count of pages in the cache
   */
  public record Pages(String table, int rows, int count) {
    public Pages {
      if (rows < 1 || count < 1) {
        throw new IllegalArgumentException("invalid cache of " + count + " pages of " + rows + " rows: at least 1");
      }
    }

    /** Pages in the table of an entry with room for that many keys. */
    public int ofEntry(int keys) {
      return Math.ceilDiv(keys, rows);
    }

    private void require(int[] numbers, int[] used, int each) {
      for (int entry = 0; entry < used.length; entry++) {
        for (int place = 0; place < ofEntry(used[entry]); place++) {
          int number = numbers[entry * each + place];
          if (number < 0 || number >= count) {
            throw new IllegalArgumentException("invalid page " + number + " of batch entry " + entry + " at place "
                + place + " of " + table + ": 0 to " + (count - 1));
          }
        }
      }
    }
  }

  /**
   * The tokens of a cache of pages that each query sees, in the place of a batch entry's keys (DeepSeek-V3.2, sparse
   * attention; FlashMLA, {@code indices}). Token t is row t mod {@code rows} of page t / {@code rows}. K and V have
   * pages in place of batch entries, and the problem has as many keys as each query has tokens. A token that a query
   * has twice counts twice.
   *
   * @param indices buffer of 32-bit integers (batch, queries, keys): tokens, or {@link #NO_TOKEN}
   * @param rows of a page
   * @param count of pages in the cache
   */
  public record Tokens(String indices, int rows, int count) {
    /** The index of a place without a token, which adds nothing. */
    public static final int NO_TOKEN = -1;

    public Tokens {
      if (rows < 1 || count < 1) {
        throw new IllegalArgumentException("invalid cache of " + count + " pages of " + rows + " rows: at least 1");
      }
    }

    /**
     * Checks the tokens where the host has them: a launch that reads another number stops with an error.
     *
     * @throws IllegalArgumentException naming the first number that is no token, and its place
     */
    public void requireFit(Map<String, MemorySegment> buffers, int batch, int queries, int keys) {
      var all = integers(buffers, indices, (long) batch * queries * keys);
      for (int i = 0; i < all.length; i++) {
        if (all[i] < NO_TOKEN || all[i] / rows >= count) {
          int query = i / keys;
          throw new IllegalArgumentException("invalid token " + all[i] + " of batch entry " + query / queries
              + ", query " + query % queries + ", at place " + i % keys + ": 0 to " + ((long) rows * count - 1)
              + ", or " + NO_TOKEN + " for none");
        }
      }
    }
  }

  /** Returns this with another division of the keys. */
  public Serving with(KeySplits other) {
    return new Serving(other, lengths, padding, pages, codes, tokens);
  }

  /** Returns this with lengths that the launch reads. */
  public Serving withLengths(String buffer) {
    return new Serving(splits, Optional.of(buffer), padding, pages, codes, tokens);
  }

  /** Returns this with rows before each entry's first key, which the launch reads. */
  public Serving withPadding(String buffer) {
    return new Serving(splits, lengths, Optional.of(buffer), pages, codes, tokens);
  }

  /** Returns this with keys and values in pages. */
  public Serving with(Pages other) {
    return new Serving(splits, lengths, padding, Optional.of(other), codes, tokens);
  }

  /** Returns this with keys and values in codes. */
  public Serving with(Codes other) {
    return new Serving(splits, lengths, padding, pages, Optional.of(other), tokens);
  }

  /** Returns this with tokens that each query sees. */
  public Serving with(Tokens other) {
    return new Serving(splits, lengths, padding, pages, codes, Optional.of(other));
  }

  /**
   * Checks the lengths, the padding and the table of pages where the host has them: a launch that reads a number that
   * is no page stops with an error.
   *
   * @param buffers by name
   * @param keys that an entry has room for
   * @throws IllegalArgumentException naming the first number that does not fit, its batch entry and its place there
   */
  public void requireFit(Map<String, MemorySegment> buffers, int batch, int keys) {
    var used = used(buffers, batch, keys);
    for (int entry = 0; entry < batch; entry++) {
      if (used[entry] < 0 || used[entry] > keys) {
        throw new IllegalArgumentException("invalid number of keys " + used[entry] + " of batch entry " + entry
            + ": 0 to " + keys);
      }
    }
    padding.ifPresent(name -> requirePadding(integers(buffers, name, batch), used));
    pages.ifPresent(p -> p.require(integers(buffers, p.table, (long) batch * p.ofEntry(keys)), used, p.ofEntry(keys)));
  }

  /**
   * Checks the factors of tokens in use where the host has them, of a cache that {@link #requireFit fits}.
   *
   * @throws IllegalArgumentException naming the first factor out of its range, and its token
   */
  public void requireFactors(Map<String, MemorySegment> buffers, int batch, int keys, int keyHeads) {
    if (codes.filter(Codes::ofTokens).isEmpty()) return;
    var used = used(buffers, batch, keys);
    var before = padding.map(name -> integers(buffers, name, batch)).orElseGet(() -> new int[batch]);
    var table = pages.map(p -> integers(buffers, p.table, (long) batch * p.ofEntry(keys)));
    for (int entry = 0; entry < batch; entry++) {
      for (int key = before[entry]; key < used[entry]; key++) {
        long slot = pages.isEmpty() ? entry
            : table.orElseThrow()[entry * pages.get().ofEntry(keys) + key / pages.get().rows];
        long row = pages.isEmpty() ? key : key % pages.get().rows;
        for (int head = 0; head < keyHeads; head++) codes.get().require(buffers, slot, row, head, entry, key);
      }
    }
  }

  private int[] used(Map<String, MemorySegment> buffers, int batch, int keys) {
    return lengths.map(name -> integers(buffers, name, batch)).orElseGet(() -> {
      var all = new int[batch];
      Arrays.fill(all, keys);
      return all;
    });
  }

  private static void requirePadding(int[] before, int[] used) {
    for (int entry = 0; entry < before.length; entry++) {
      if (before[entry] < 0 || before[entry] > used[entry]) {
        throw new IllegalArgumentException("invalid left padding " + before[entry] + " of batch entry " + entry
            + ": 0 to " + used[entry]);
      }
    }
  }

  private static int[] integers(Map<String, MemorySegment> buffers, String name, long count) {
    return buffer(buffers, name, count).asSlice(0, count * Integer.BYTES).toArray(ValueLayout.JAVA_INT_UNALIGNED);
  }

  /** A buffer of at least that many numbers of 32 bits. */
  private static MemorySegment buffer(Map<String, MemorySegment> buffers, String name, long count) {
    var buffer = Optional.ofNullable(buffers.get(name)).orElseThrow(() ->
        new IllegalArgumentException("no buffer " + name + ": there are " + buffers.keySet()));
    if (buffer.byteSize() < count * Integer.BYTES) {
      throw new IllegalArgumentException("buffer " + name + " has " + buffer.byteSize() + " bytes: needed are "
          + count * Integer.BYTES);
    }
    return buffer;
  }

  /** Whether where keys lie depends on what the launch reads. */
  public boolean scatters() {
    return lengths.isPresent() || padding.isPresent() || pages.isPresent() || tokens.isPresent();
  }
}
