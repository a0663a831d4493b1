package tilewright.ops.parallel;

import java.util.Arrays;
import java.util.stream.Stream;
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
 * <p>Each rank sends one message to each other rank, and gets one back in {@link #combine}. In {@link #of} the host
 * reads the tokens' choices, and then how many rows come, and waits for the operators before; in {@link #combine} it
 * waits for the other ranks' calls only. All ranks call both in one order.
 */
public final class ExpertDispatch implements AutoCloseable {
  private final Communicator ranks;
  private final Ops ops;
  private final ExpertRows order;
  private final DeviceTensor rows;
  /** The place (T,J) of each choice of a token among the rows that this rank has sent. */
  private final DeviceTensor places;
  /** The place of each row received, in the order of senders, among {@link #rows}. */
  private final DeviceTensor returns;

  private ExpertDispatch(Communicator ranks, ExpertRows order, DeviceTensor rows, DeviceTensor places,
      DeviceTensor returns) {
    this.ranks = ranks;
    this.ops = ranks.ops();
    this.order = order;
    this.rows = rows;
    this.places = places;
    this.returns = returns;
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
    return send(ranks, x, numbers, Math.toIntExact(chosen.size(1)), experts);
  }

  private static ExpertDispatch send(Communicator ranks, DeviceTensor x, int[] chosen, int choices, int experts) {
    var ops = ranks.ops();
    var mine = new int[experts];
    for (int expert : chosen) mine[expert]++;
    try (var own = ops.ints(mine, experts); var all = ops.empty(ElementType.I32, ranks.size(), experts)) {
      // Rows are gathered while ranks tell each other how many they have for each expert.
      var work = ranks.start(() -> ranks.allGather(own, all));
      var sorted = ExpertRows.places(chosen, mine);
      var tokens = new int[sorted.length];
      for (int i = 0; i < sorted.length; i++) tokens[sorted[i]] = i / choices;
      var places = ops.ints(sorted, x.size(0), choices);
      try (var gathered = ops.ints(tokens, tokens.length); var sent = ops.embedding(x, gathered)) {
        work.join();
        return arrive(ranks, ExpertRows.of(ranks.rank(), all.ints(), experts), sent, places);
      } catch (RuntimeException e) {
        places.close();
        throw e;
      }
    }
  }

  /** Sends rows that lie in the order of experts, and arranges those received. */
  private static ExpertDispatch arrive(Communicator ranks, ExpertRows order, DeviceTensor sent, DeviceTensor places) {
    var ops = ranks.ops();
    var senders = order.senders();
    // All indices are written before the transfers, since writing waits for the operators before.
    var returns = ops.ints(ExpertRows.inverse(senders), senders.length);
    try (var arranged = ops.ints(senders, senders.length);
        var received = ops.empty(sent.type(), senders.length, sent.size(1))) {
      exchange(ranks, sent, order.sent(), received, order.received());
      return new ExpertDispatch(ranks, order, ops.embedding(received, arranged), places, returns);
    } catch (RuntimeException e) {
      returns.close();
      throw e;
    }
  }

  /**
   * Sends each rank its block of rows, and receives one from each.
   *
   * @param starts of each rank's block in {@code from}
   * @param places of each rank's block in {@code into}
   */
  private static void exchange(Communicator ranks, DeviceTensor from, int[] starts, DeviceTensor into, int[] places) {
    int size = ranks.size();
    int own = ranks.rank();
    var work = ranks.start(() -> {
      // Each step is a permutation of ranks, so that no rank receives from two at once.
      for (int step = 1; step < size; step++) {
        int to = (own + step) % size;
        int sender = (own + size - step) % size;
        var there = block(from, starts, to);
        var here = block(into, places, sender);
        if (there.size(0) > 0) ranks.send(there, to);
        if (here.size(0) > 0) ranks.receive(here, sender);
      }
    });
    var kept = block(from, starts, own);
    if (kept.size(0) > 0) ranks.ops().copy(kept, block(into, places, own));
    work.join();
  }

  private static DeviceTensor block(DeviceTensor rows, int[] starts, int index) {
    return rows.slice(0, starts[index], starts[index + 1]);
  }

  /** Returns the number of experts of this rank. */
  public int experts() {
    return order.experts();
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
    return block(tensor, order.ofExperts(), expert);
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
    if (!Arrays.equals(weights.shape(), places.shape())) {
      throw new IllegalArgumentException("the weights are " + weights + "; needed are (" + places.size(0) + ","
          + places.size(1) + ")");
    }
    ranks.agree("combination of " + results.type().text() + " rows of " + results.size(1));
    try (var back = ops.empty(results.type(), places.elements(), results.size(1))) {
      try (var returned = ops.embedding(results, returns)) {
        exchange(ranks, returned, order.received(), back, order.sent());
      }
      return ops.weightedRows(back, places, weights);
    }
  }

  @Override
  public void close() {
    Stream.of(rows, places, returns).forEach(DeviceTensor::close);
  }
}
