package tilewright.kernel.collective.attention;

import java.util.List;
import java.util.Optional;
import tilewright.kernel.GlobalTensor;
import tilewright.kernel.LaunchArguments;
import tilewright.kernel.Scope;
import tilewright.kernel.TensorSpec;
import tilewright.numerics.ElementType;

/**
 * Lists of blocks that the user gives (FlexAttention's {@code BlockMask.from_kv_blocks}): for each row of blocks of
 * queries the blocks of keys that it sees in part, to which the mask is applied, and those that it sees whole. What is
 * in neither is hidden. Extents of blocks are multiples of the kernels' tiles.
 *
 * @param queries of a block; likewise {@code keys}
 */
public record GivenBlocks(int queries, int keys, Lists partial, Optional<Lists> full) {
  public GivenBlocks {
    if (queries < 1 || keys < 1) {
      throw new IllegalArgumentException("invalid blocks of " + queries + " queries and " + keys
          + " keys: at least 1 each");
    }
  }

  /**
   * Lists of i32.
   *
   * @param counts entries of each list: (batch, heads, rows), strides 0 where batch entries or heads share lists
   * @param indices numbers of blocks: (batch, heads, rows, entries), in any order
   */
  public record Lists(LaunchArguments.Tensor counts, LaunchArguments.Tensor indices) {
    public Lists {
      if (counts.extents().size() != 3 || indices.extents().size() != 4
          || !counts.extents().equals(indices.extents().subList(0, 3)) || indices.extents().getLast() < 1) {
        throw new IllegalArgumentException("lists of blocks have counts of (batch, heads, rows) and indices of (batch, "
            + "heads, rows, entries), got " + counts.extents() + " and " + indices.extents());
      }
    }

    /**
     * Dense lists in buffers of those names.
     *
     * @param listed batch entries and heads that have lists of their own: all, or 1 if they share them
     */
    public static Lists dense(String counts, String indices, List<Long> extents, List<Long> listed, long entries) {
      long rows = extents.getLast();
      long perHead = listed.getLast() == 1 ? 0 : rows;
      long perBatch = listed.getFirst() == 1 ? 0 : rows * listed.getLast();
      var all = List.of(extents.get(0), extents.get(1), rows, entries);
      return new Lists(new LaunchArguments.Tensor(counts, 0, extents, List.of(perBatch, perHead, 1L)),
          new LaunchArguments.Tensor(indices, 0, all, List.of(perBatch * entries, perHead * entries, entries, 1L)));
    }
  }

  /** The lists of a kind in a kernel that is being traced. */
  record Traced(GlobalTensor counts, GlobalTensor indices) {
    static Traced of(Scope k, String kind) {
      return new Traced(k.global(specOfCounts(kind)), k.global(specOfIndices(kind)));
    }
  }

  private static TensorSpec specOfCounts(String kind) {
    return TensorSpec.of(kind + "Counts", ElementType.I32, "GivenB", "GivenH", "GivenRows").contiguous("GivenRows");
  }

  private static TensorSpec specOfIndices(String kind) {
    var entries = kind + "Entries";
    return TensorSpec.of(kind + "Indices", ElementType.I32, "GivenB", "GivenH", "GivenRows", entries)
        .contiguous(entries);
  }

  static final String PARTIAL = "givenPartial";
  static final String FULL = "givenFull";

  /** The number of rows of blocks that queries have. */
  public long rows(int ofQueries) {
    return Math.max(1, Math.ceilDiv(ofQueries, queries));
  }

  /** The lists as kernels see them: no extents and strides, which launches give. */
  GivenBlocks traced() {
    var one = Lists.dense(PARTIAL, PARTIAL, List.of(1L, 1L, 1L), List.of(1L, 1L), 1);
    return new GivenBlocks(queries, keys, one, full.map(_ -> one));
  }

  /** Gives the lists to a launch. */
  void addTo(LaunchArguments arguments) {
    arguments.tensor(PARTIAL + "Counts", partial.counts).tensor(PARTIAL + "Indices", partial.indices);
    full.ifPresent(lists -> arguments.tensor(FULL + "Counts", lists.counts).tensor(FULL + "Indices", lists.indices));
  }
}
