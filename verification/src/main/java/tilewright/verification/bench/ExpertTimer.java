package tilewright.verification.bench;

import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import tilewright.numerics.ElementType;
import tilewright.ops.DeviceTensor;
import tilewright.ops.Ops;
import tilewright.ops.collectives.Communicator;
import tilewright.ops.parallel.ExpertDispatch;

/** Times sending tokens to experts on all devices, drawn uniformly, and combining results, without their products. */
final class ExpertTimer {
  private static final int TOKENS = 4096;
  private static final int DIM = 7168;
  private static final int CHOICES = 8;
  private static final int EXPERTS = 64;
  private static final int ROUNDS = 11;
  private static final int RUNS = 5;
  private static final int COMPARED = 64;

  private final List<Communicator> ranks;
  private final RankTimer timer;

  ExpertTimer(List<Communicator> ranks) {
    this.ranks = ranks;
    timer = new RankTimer(ranks);
  }

  /** Tokens of one device, the experts that they have chosen, and these experts' weights. */
  private record Tokens(DeviceTensor x, DeviceTensor chosen, DeviceTensor weights) implements AutoCloseable {
    static Tokens of(LongTensor numbers, Ops ops, int rank) {
      var random = new SplittableRandom(rank);
      var weights = new float[TOKENS * CHOICES];
      Arrays.fill(weights, 1f / CHOICES);
      return new Tokens(numbers.whole(ops), ops.ints(IntStream.range(0, TOKENS).flatMap(_ -> random.ints(0, EXPERTS)
          .distinct().limit(CHOICES)).toArray(), TOKENS, CHOICES),
          ops.tensor(ElementType.F32, weights, TOKENS, CHOICES));
    }

    DeviceTensor rows() {
      return x.reshape(TOKENS, DIM);
    }

    @Override
    public void close() {
      Stream.of(x, chosen, weights).forEach(DeviceTensor::close);
    }
  }

  private ExpertDispatch dispatch(Tokens tokens, int rank) {
    return ExpertDispatch.of(ranks.get(rank), tokens.rows(), tokens.chosen, EXPERTS);
  }

  DeviceScaling.ExpertRow row() {
    int size = ranks.size();
    var sent = new ExpertDispatch[size];
    var all = new Tokens[size];
    try (var numbers = new LongTensor(TOKENS, 1, DIM, 1)) {
      timer.onEach(size, rank -> {
        all[rank] = Tokens.of(numbers, ranks.get(rank).ops(), rank);
        sent[rank] = dispatch(all[rank], rank);
      });
      var there = new double[ROUNDS];
      var back = new double[ROUNDS];
      for (int round = -1; round < ROUNDS; round++) {
        double out = timer.turn(size, rank -> dispatch(all[rank], rank).close(), RUNS);
        double in = timer.turn(size, rank -> sent[rank].combine(sent[rank].rows(), all[rank].weights).close(), RUNS);
        if (round < 0) continue;
        there[round] = out;
        back[round] = in;
      }
      // Results that are the tokens themselves, of weights that add up to 1.
      var differences = new double[size];
      timer.onEach(size, rank -> {
        try (var output = sent[rank].combine(sent[rank].rows(), all[rank].weights)) {
          differences[rank] = RankTimer.largestDifference(all[rank].rows().slice(0, 0, COMPARED).floats(),
              output.slice(0, 0, COMPARED).floats(), 1);
        }
      });
      double bytes = (double) TOKENS * CHOICES * DIM * ElementType.BF16.bytes() * (size - 1) / size;
      double dispatchMs = Sample.of(there).median();
      double combineMs = Sample.of(back).median();
      return new DeviceScaling.ExpertRow("experts", TOKENS + "×" + DIM + " bf16 on each, " + CHOICES + " of " + EXPERTS,
          dispatchMs, combineMs, bytes / dispatchMs * 1e-6, bytes / combineMs * 1e-6,
          Arrays.stream(differences).max().orElseThrow());
    } finally {
      Stream.of(sent).filter(each -> each != null).forEach(ExpertDispatch::close);
      Stream.of(all).filter(each -> each != null).forEach(Tokens::close);
    }
  }
}
