package tilewright.kernel.collective.attention;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;
import tilewright.kernel.F32;
import tilewright.kernel.GlobalTensor;
import tilewright.kernel.I32;
import tilewright.kernel.LaunchArguments;
import tilewright.kernel.Pred;
import tilewright.kernel.Scope;
import tilewright.kernel.collective.attention.ScoreMod.Sloped;

/**
 * The user's change of the scores: a function of each, a mask, both or neither (FlexAttention).
 *
 * @param captures the data that they read
 * @param blocks lists of blocks by the user, in the place of those that the mask makes
 */
public record Modification(Optional<ScoreMod> score, Optional<MaskMod> mask, Captures captures,
    Optional<GivenBlocks> blocks) {
  public static final Modification NONE = new Modification(Optional.empty(), Optional.empty());

  private static final float LOG2_E = 1.44269504f;

  /** A change that reads nothing but its arguments. */
  public Modification(Optional<ScoreMod> score, Optional<MaskMod> mask) {
    this(score, mask, Captures.NONE, Optional.empty());
  }

  /** Returns this change, then a function of each score. */
  public Modification then(ScoreMod next) {
    return new Modification(Optional.of(score.map(s -> s.then(next)).orElse(next)), mask, captures, blocks);
  }

  /** Returns this change where another mask shows the key, too. */
  public Modification and(MaskMod next) {
    return new Modification(score, Optional.of(mask.map(m -> m.and(next)).orElse(next)), captures, blocks);
  }

  /** Returns this change with other data. */
  public Modification with(Captures other) {
    return new Modification(score, mask, other, blocks);
  }

  /** Returns this change with lists of blocks. */
  public Modification with(GivenBlocks lists) {
    return new Modification(score, mask, captures, Optional.of(lists));
  }

  /** The change as kernels see it, which is the same whatever the launches give: one kernel serves all of them. */
  public Modification traced() {
    return new Modification(score, mask, captures.traced(), blocks.map(GivenBlocks::traced));
  }

  /** Whether functions may read two numbers beside each other in one access. */
  public boolean readsPairs() {
    return !captures.alignedToPairs().isEmpty();
  }

  /** Whether there are blocks that it hides. */
  public boolean hidesBlocks() {
    return mask.isPresent() || blocks.isPresent();
  }

  /** Gives what the functions read to a launch. */
  public void addTo(LaunchArguments arguments) {
    captures.addTo(arguments);
    blocks.ifPresent(lists -> lists.addTo(arguments));
  }

  /**
   * The position of a tile of scores: its batch entry, first head, first row of queries and first key.
   *
   * @param transposed whether rows of the tile are keys and columns rows of queries, as in Sᵀ = K·Qᵀ
   * @param ends the sequence in which functions that read data are to stay
   * @param covered whether all keys of the tile are there
   */
  public record Place(I32 batch, I32 head, I32 firstRow, I32 firstKey, HeadPacking packing, boolean transposed,
      Optional<SeqlenInfo> ends, boolean covered) {
    /** Creates a place in S = Q·Kᵀ. */
    public Place(I32 batch, I32 head, I32 firstRow, I32 firstKey, HeadPacking packing) {
      this(batch, head, firstRow, firstKey, packing, false, Optional.empty(), false);
    }

    /** Creates a place in S = Q·Kᵀ with one row for each query. */
    public Place(I32 batch, I32 head, I32 firstQuery, I32 firstKey) {
      this(batch, head, firstQuery, firstKey, HeadPacking.NONE);
    }

    /** Returns this place in Sᵀ = K·Qᵀ. */
    public Place inTransposed() {
      return new Place(batch, head, firstRow, firstKey, packing, true, ends, covered);
    }

    /**
     * Returns this place in a sequence, behind whose end functions read no data.
     *
     * @param covers whether the sequence has all keys of the tile
     */
    public Place in(SeqlenInfo sequence, boolean covers) {
      return new Place(batch, head, firstRow, firstKey, packing, transposed, Optional.of(sequence), covers);
    }

    /** The tile's first row, counted from the sequence's begin: a row of queries or a key. */
    I32 firstOfRows() {
      return transposed ? firstKey : firstRow;
    }

    /** The tile's first column, counted from the sequence's begin: a key or a row of queries. */
    I32 firstOfColumns() {
      return transposed ? firstRow : firstKey;
    }
  }

  /** Whether scores change by no more than an addition, if they do: their derivatives are 1. */
  public boolean adds() {
    return score.map(SlopeCheck::adds).orElse(true);
  }

  /** The factor of scores in the softmax, times log₂ e: the scale, or 1 where {@link #apply} has scaled them. */
  public F32 softmaxScale(Scope k, F32 scale) {
    return score.isPresent() ? k.constant(LOG2_E) : scale.times(LOG2_E);
  }

  /**
   * Scales and changes the scores where there is a function for it; hides what the mask does not let through, unless
   * {@code whole} says that it lets all of the tile.
   */
  public List<F32> apply(Scope k, I32 thread, FragmentRows rows, F32 scale, Place place, boolean whole,
      List<F32> scores) {
    return apply(k, thread, rows, Collections.nCopies(rows.count(), scale), place, whole, scores);
  }

  /**
   * Like {@link #apply(Scope, I32, FragmentRows, F32, Place, boolean, List)}, with a scale of each row of the thread.
   */
  public List<F32> apply(Scope k, I32 thread, FragmentRows rows, List<F32> scales, Place place, boolean whole,
      List<F32> scores) {
    return changed(k, thread, rows, scales, place, whole, scores, (mod, s, b, h, q, key) ->
        new Sloped(mod.apply(s, b, h, q, key), k.constant(1f), true)).stream().map(Sloped::value).toList();
  }

  /**
   * Like {@link #apply}, with the derivative of each changed score by the scaled one: 1 where there is no function.
   *
   * @throws tilewright.kernel.TraceException where the function has none
   */
  public List<Sloped> sloped(Scope k, I32 thread, FragmentRows rows, F32 scale, Place place, boolean whole,
      List<F32> scores) {
    return changed(k, thread, rows, Collections.nCopies(rows.count(), scale), place, whole, scores,
        ScoreMod::sloped);
  }

  /**
   * Changed scores, and what they add to the gradients of captured tensors.
   *
   * @param scores as by {@link #sloped}
   */
  public record Differentiated(List<Sloped> scores, CapturedGradients captured) {}

  /** Like {@link #sloped}, with the derivatives by the elements of captured tensors whose gradients are asked for. */
  public Differentiated differentiated(Scope k, I32 thread, FragmentRows rows, F32 scale, Place place, boolean whole,
      List<F32> scores) {
    var captured = new CapturedGradients();
    var tensors = captures.differentiatedInKernels();
    if (tensors.isEmpty()) return new Differentiated(sloped(k, thread, rows, scale, place, whole, scores), captured);
    var changed = changed(k, thread, rows, Collections.nCopies(rows.count(), scale), place, whole, scores,
        (mod, s, b, h, q, key) -> {
          var reads = new ArrayList<GlobalTensor.Read>();
          var sloped = k.noting(tensors, reads, () -> mod.sloped(s, b, h, q, key));
          captured.note(sloped.value(), reads, List.of(q, key));
          return sloped;
        });
    return new Differentiated(changed, captured);
  }

  /** A call of a score function. */
  @FunctionalInterface
  private interface Call {
    Sloped of(ScoreMod mod, F32 score, I32 b, I32 h, I32 q, I32 k);
  }

  /** Functions that read data do so inside their tensors: of a tile without all keys, at clamped indices. */
  private List<Sloped> changed(Scope k, I32 thread, FragmentRows rows, List<F32> scales, Place place, boolean whole,
      List<F32> scores, Call call) {
    return reads() && !place.covered ? k.clamping(() -> each(k, thread, rows, scales, place, whole, scores, call))
        : each(k, thread, rows, scales, place, whole, scores, call);
  }

  private List<Sloped> each(Scope k, I32 thread, FragmentRows rows, List<F32> scales, Place place, boolean whole,
      List<F32> scores, Call call) {
    k.alignedToPairs(captures.alignedToPairs());
    var one = k.constant(1f);
    var changed = new ArrayList<>(scores.stream().map(s -> new Sloped(s, one, true)).toList());
    if (score.isEmpty() && (mask.isEmpty() || whole)) return changed;
    // Settled, or the assembler computes a key of each value ahead of all blocks, which takes a register each.
    var rowsHere = IntStream.range(0, rows.count())
        .mapToObj(row -> place.firstOfRows().plus(rows.row(thread, row)).settled()).toList();
    var columns = place.firstOfColumns().plus(rows.column(thread));
    boolean pairs = !place.transposed && place.covered && columns.isEven();
    var firstColumn = columns.settled();
    for (int value = 0; value < scores.size(); value++) {
      var row = rowsHere.get(rows.rowOf(value));
      var column = firstColumn.plus(rows.columnOffset(value));
      var query = place.transposed ? column : row;
      var key = place.transposed ? row : column;
      var q = query(place, query);
      var head = head(place, query);
      var now = changed.get(value);
      if (score.isPresent()) {
        var scaled = now.value().times(scales.get(rows.rowOf(value)));
        boolean odd = rows.columnOffset(value) % 2 != 0;
        now = pairs && rows.hasNeighbour(value)
            ? k.besideNeighbour(key, odd, () -> call.of(score.get(), scaled, place.batch, head, q, key))
            : call.of(score.get(), scaled, place.batch, head, q, key);
      }
      // Numbers read for later scores need registers: this one becomes part of its score before.
      if (captures.perScore()) now.value().register();
      if (mask.isPresent() && !whole) now = now.where(mask.get().apply(place.batch, head, q, key));
      changed.set(value, now);
    }
    return changed;
  }

  /** Whether the mask, if there is one, shows a key to a query; any answer where there is no such query or key. */
  public Pred visible(Scope s, I32 b, I32 h, I32 q, I32 k) {
    if (mask.isEmpty()) return Pred.known(s, true);
    return reads() ? s.clamping(() -> mask.get().apply(b, h, q, k)) : mask.get().apply(b, h, q, k);
  }

  private boolean reads() {
    return !captures.equals(Captures.NONE);
  }

  private I32 query(Place place, I32 row) {
    var query = place.packing.query(row);
    if (!reads() || !place.covered) return query;
    return query.min(place.ends.orElseThrow().queries().plus(-1));
  }

  private I32 head(Place place, I32 row) {
    return reads() ? place.packing.nearestHead(place.head, row) : place.packing.head(place.head, row);
  }
}
