package tilewright.ops.parallel;

import java.util.Arrays;
import java.util.stream.IntStream;
import tilewright.numerics.ElementType;
import tilewright.ops.DeviceTensor;
import tilewright.ops.Ops;
import tilewright.ops.collectives.Communicator;

/**
 * Tokens at the experts that they have chosen (mixture of experts, expert-parallel): experts are spread over ranks in
 * their order, the same number on each, and every token goes to each of its experts' ranks.
 *
 * {@snippet :
 * try (var sent = ExpertDispatch.of(ranks, tokens, choices, 64)) {
 *   for (int i = 0; i < sent.experts(); i++) {
 *     if (sent.rows(i).size(0) > 0) ops.gemm(sent.rows(i), weights.select(0, i), GemmOptions.of().into(...));
 *   }
 *   var output = sent.combine(results, probabilities);
 * }
 * }
 *
 * <p>The host reads the tokens' choices, and waits for the operators before, since it must know how many rows come. All
 * ranks call {@link #of} and {@link #combine} in one order.
 */
public final class ExpertDispatch implements AutoCloseable {
  private final Communicator ranks;
  private final Ops ops;
  private final int choices;
  private final int tokens;
  /** Rows that each rank has for each expert. */
  private final int[][] counts;
  /** The place of each choice of a token among the rank's rows in the order of experts. */
  private final int[] places;
  private final DeviceTensor rows;

  private ExpertDispatch(Communicator ranks, DeviceTensor x, int[] experts, int choices, int[][] counts) {
    this.ranks = ranks;
    this.ops = ranks.ops();
    this.choices = choices;
    this.tokens = Math.toIntExact(x.size(0));
    this.counts = counts;
    var next = starts(counts[ranks.rank()]);
    places = IntStream.of(experts).map(expert -> next[expert]++).toArray();
    rows = ops.empty(x.type(), received(experts()), x.size(1));
  }

  /**
   * Sends each token to its experts.
   *
   * @param x the rank's tokens, (T,D) of f32, f16 or bf16
   * @param chosen the experts of each token, i32 (T,J)
   * @param experts of all ranks, a multiple of their number
   * @throws IllegalArgumentException for experts that there are not, or that ranks cannot share
   */
  public static ExpertDispatch of(Communicator ranks, DeviceTensor x, DeviceTensor chosen, int experts) {
    int size = ranks.size();
    if (experts < 1 || experts % size != 0) {
      throw new IllegalArgumentException("cannot share " + experts + " experts among " + size
          + " ranks: needed is a multiple");
    }
    if (x.rank() != 2 || chosen.rank() != 2 || chosen.type() != ElementType.I32 || chosen.size(0) != x.size(0)) {
      throw new IllegalArgumentException("no dispatch of the tokens " + x + " by the choices " + chosen
          + ": needed are (T,D) and i32(T,J)");
    }
    int[] numbers = chosen.ints();
    for (int expert : numbers) {
      if (expert < 0 || expert >= experts) {
        throw new IllegalArgumentException("no expert " + expert + ": 0…" + (experts - 1));
      }
    }
    ranks.agree("dispatch of " + x.type().text() + " rows of " + x.size(1) + " to " + experts + " experts");
    var dispatch = new ExpertDispatch(ranks, x, numbers, Math.toIntExact(chosen.size(1)),
        counts(ranks, numbers, experts));
    try {
      dispatch.send(x);
      return dispatch;
    } catch (RuntimeException e) {
      dispatch.close();
      throw e;
    }
  }

  /** Tells all ranks how many rows each expert gets from each. */
  private static int[][] counts(Communicator ranks, int[] chosen, int experts) {
    var mine = new int[experts];
    for (int expert : chosen) mine[expert]++;
    try (var own = ranks.ops().ints(mine, experts);
        var all = ranks.ops().ints(new int[ranks.size() * experts], ranks.size(), experts)) {
      ranks.allGather(own, all);
      var numbers = all.ints();
      return IntStream.range(0, ranks.size())
          .mapToObj(rank -> Arrays.copyOfRange(numbers, rank * experts, (rank + 1) * experts)).toArray(int[][]::new);
    }
  }

  private static int[] starts(int[] counts) {
    var starts = new int[counts.length];
    for (int i = 1; i < counts.length; i++) starts[i] = starts[i - 1] + counts[i - 1];
    return starts;
  }

  private void send(DeviceTensor x) {
    var order = new int[places.length];
    for (int i = 0; i < order.length; i++) order[places[i]] = i / choices;
    try (var indices = ops.ints(order, order.length); var sorted = ops.embedding(x, indices)) {
      exchange(sorted, rows, true);
    }
  }

  /**
   * Moves rows between the rank's order of experts and those that its own experts have from all ranks.
   *
   * @param sorted the rank's rows in the order of experts
   * @param gathered the rows of the rank's experts
   * @param out whether to the experts, or back
   */
  private void exchange(DeviceTensor sorted, DeviceTensor gathered, boolean out) {
    int mine = experts();
    ranks.group(() -> {
      for (int peer = 0; peer < ranks.size(); peer++) {
        for (int i = 0; i < mine; i++) {
          var here = sent(sorted, peer * mine + i);
          var there = place(gathered, i, peer);
          if (peer == ranks.rank()) {
            if (here.size(0) > 0) ops.copy(out ? here : there, out ? there : here);
            continue;
          }
          if ((out ? here : there).size(0) > 0) ranks.send(out ? here : there, peer);
          if ((out ? there : here).size(0) > 0) ranks.receive(out ? there : here, peer);
        }
      }
    });
  }

  /** This rank's rows for an expert of all. */
  private DeviceTensor sent(DeviceTensor sorted, int expert) {
    int start = Arrays.stream(counts[ranks.rank()]).limit(expert).sum();
    return sorted.slice(0, start, start + counts[ranks.rank()][expert]);
  }

  /** The rows of one of the rank's experts that a rank has sent. */
  private DeviceTensor place(DeviceTensor gathered, int own, int peer) {
    int expert = ranks.rank() * experts() + own;
    int start = received(own) + IntStream.range(0, peer).map(rank -> counts[rank][expert]).sum();
    return gathered.slice(0, start, start + counts[peer][expert]);
  }

  /** The rows of the first experts of this rank. */
  private int received(int own) {
    int first = ranks.rank() * experts();
    return IntStream.range(first, first + own)
        .map(expert -> IntStream.range(0, ranks.size()).map(rank -> counts[rank][expert]).sum()).sum();
  }

  /** Returns the number of experts of this rank. */
  public int experts() {
    return counts[0].length / ranks.size();
  }

  /** Returns the rows (N,D) of this rank's experts, one expert after the other; ends with this. */
  public DeviceTensor rows() {
    return rows;
  }

  /**
   * Returns the rows of one of this rank's experts, those of rank 0 first; ends with this.
   *
   * @param expert from 0 on each rank
   */
  public DeviceTensor rows(int expert) {
    return part(rows, expert);
  }

  /** Returns the part of a tensor of all of {@link #rows()} that one of this rank's experts has. */
  public DeviceTensor part(DeviceTensor tensor, int expert) {
    if (expert < 0 || expert >= experts()) {
      throw new IllegalArgumentException("no expert " + expert + " on rank " + ranks.rank() + ": 0…"
          + (experts() - 1));
    }
    return tensor.slice(0, received(expert), received(expert + 1));
  }

  /**
   * Gives the experts' results back to the tokens' ranks, and adds those of each token.
   *
   * @param results (N,D'), row by row of {@link #rows()}
   * @param weights f32 (T,J), of each choice
   * @return (T,D'), which the caller closes
   */
  public DeviceTensor combine(DeviceTensor results, DeviceTensor weights) {
    if (results.rank() != 2 || results.size(0) != rows.size(0)) {
      throw new IllegalArgumentException("the results are " + results + "; needed are " + rows.size(0) + " rows");
    }
    if (weights.rank() != 2 || weights.size(0) != tokens || weights.size(1) != choices) {
      throw new IllegalArgumentException("the weights are " + weights + "; needed are (" + tokens + "," + choices
          + ")");
    }
    ranks.agree("combination of " + results.type().text() + " rows of " + results.size(1));
    try (var back = ops.empty(results.type(), places.length, results.size(1));
        var indices = ops.ints(places, tokens, choices)) {
      if (results.isContiguous()) {
        exchange(back, results, false);
      } else {
        try (var copy = ops.contiguous(results)) {
          exchange(back, copy, false);
        }
      }
      return ops.weightedRows(back, indices, weights);
    }
  }

  @Override
  public void close() {
    rows.close();
  }
}
