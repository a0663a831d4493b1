package tilewright.ops.collectives;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import tilewright.numerics.ElementType;
import tilewright.ops.DeviceTensor;

/** Captured operators and transfers against what they do once after the other, whatever moves the data. */
abstract class CaptureContract {
  private static final int REPLAYS = 3;
  private static final int COUNT = 64;

  private final int size;
  private final CollectiveOptions hasty;

  CaptureContract(int size, CollectiveOptions hasty) {
    this.size = size;
    this.hasty = hasty;
  }

  abstract List<Communicator> open(int size, CollectiveOptions options);

  private List<Communicator> open() {
    return open(size, CollectiveContract.PATIENT);
  }

  /** Numbers of a rank, small enough that none of the sums here is rounded. */
  private static float[] numbers(int rank) {
    var numbers = new float[COUNT];
    for (int i = 0; i < COUNT; i++) numbers[i] = rank + 1 + i % 3;
    return numbers;
  }

  private static DeviceTensor tensor(Communicator rank, float... numbers) {
    return rank.ops().tensor(ElementType.F32, numbers, numbers.length);
  }

  /** Adds the sum over ranks to a rank's numbers, by transfers and an operator in memory of its own. */
  private static void addSum(Communicator rank, DeviceTensor x) {
    try (var sum = rank.ops().empty(ElementType.F32, COUNT)) {
      rank.allReduce(x, sum, Reduction.SUM);
      try (var both = rank.ops().add(x, sum)) {
        rank.ops().copy(both, x);
      }
    }
  }

  @Test
  void replaysDoWhatTheCallsDid() {
    var results = RankThreads.run(open(), rank -> {
      var x = tensor(rank, numbers(rank.rank()));
      var all = rank.ops().zeros(ElementType.F32, size, COUNT);
      try (var captured = rank.capture(() -> {
        addSum(rank, x);
        rank.allGather(x, all);
      })) {
        for (int i = 0; i < REPLAYS; i++) captured.replay();
        return all.floats();
      }
    });
    var expected = IntStream.range(0, size).mapToObj(CaptureContract::numbers).toList();
    // The first run, and the replays: what is only captured does nothing.
    for (int run = 0; run < 1 + REPLAYS; run++) {
      for (int i = 0; i < COUNT; i++) {
        float sum = 0;
        for (var numbers : expected) sum += numbers[i];
        for (var numbers : expected) numbers[i] += sum;
      }
    }
    for (var result : results) {
      for (int rank = 0; rank < size; rank++) {
        for (int i = 0; i < COUNT; i++) assertEquals(expected.get(rank)[i], result[rank * COUNT + i]);
      }
    }
  }

  @Test
  void replaysReadWhatTensorsHoldThen() {
    var results = RankThreads.run(open(), rank -> {
      var mine = tensor(rank, 0);
      var theirs = tensor(rank, 0);
      var one = tensor(rank, 1);
      try (var captured = rank.capture(() -> {
        var work = rank.start(() -> {
          rank.send(mine, (rank.rank() + 1) % size);
          rank.receive(theirs, (rank.rank() + size - 1) % size);
        });
        try (var beside = rank.ops().add(one, one)) {
          work.join();
          rank.ops().add(theirs, beside, theirs);
        }
      })) {
        var seen = new float[REPLAYS];
        for (int i = 0; i < REPLAYS; i++) {
          mine.set(10 * rank.rank() + i);
          captured.replay();
          seen[i] = theirs.floats()[0];
        }
        return seen;
      }
    });
    for (int rank = 0; rank < size; rank++) {
      float sent = 10 * ((rank + size - 1) % size);
      assertArrayEquals(new float[] {sent + 2, sent + 3, sent + 4}, results.get(rank));
    }
  }

  @Test
  void memoryOfCapturedCallsServesNothingElse() {
    RankThreads.run(open(), rank -> {
      var x = tensor(rank, numbers(rank.rank()));
      var captured = rank.capture(() -> addSum(rank, x));
      var others = IntStream.range(0, 4).mapToObj(i -> tensor(rank, numbers(i))).toList();
      captured.replay();
      for (int i = 0; i < 4; i++) assertArrayEquals(numbers(i), others.get(i).floats());
      captured.close();
      captured.close();
      return true;
    });
  }

  @Test
  void transfersFollowReplaysAndReplaysFollowTransfers() {
    RankThreads.run(open(), rank -> {
      var x = tensor(rank, 1);
      var captured = rank.capture(() -> rank.allReduce(x, x, Reduction.SUM));
      rank.allReduce(x, x, Reduction.SUM);
      captured.replay();
      rank.allReduce(x, x, Reduction.SUM);
      assertArrayEquals(new float[] {(float) Math.pow(size, 4)}, x.floats());
      return true;
    });
  }

  @Test
  void whatCannotBeCapturedIsRefused() {
    var rank = open(1, CollectiveContract.PATIENT).getFirst();
    var x = tensor(rank, 1);
    assertRefused("calls are captured, not run", () -> rank.capture(() -> x.floats()));
    assertRefused("calls are captured, not run", () -> rank.capture(() -> x.set(1)));
    assertRefused("awaited after a replay", () -> rank.capture(rank::await));
    assertRefused("captures operators alone", () -> rank.ops().capture(() -> {
      if (rank.ops().isCapturing()) rank.broadcast(x, 0);
    }));
    assertRefused("captures do not nest", () -> rank.capture(() -> rank.capture(() -> {})));
    assertRefused("join them in the calls", () -> rank.capture(() -> rank.start(() -> rank.broadcast(x, 0))));
    rank.start(() -> rank.broadcast(x, 0));
    assertRefused("join them before a capture", () -> rank.capture(() -> {}));
    // After a refusal all else goes on.
    try (var captured = open(1, CollectiveContract.PATIENT).getLast().capture(() -> {})) {
      captured.replay();
    }
  }

  @Test
  void operatorsThatDidNotRunBeforeAreRefusedOnGpus() {
    var rank = open(1, CollectiveContract.PATIENT).getFirst();
    if (!rank.ops().isGpu()) return;
    var runs = new AtomicInteger();
    assertRefused("did not run before", () -> rank.capture(() -> {
      int length = 40 + runs.getAndIncrement();
      rank.ops().softmax(rank.ops().empty(ElementType.F32, 1, length));
    }));
  }

  @Test
  void ranksThatDoNotAllCaptureFail() {
    var outcomes = Ranks.outcomes(open(), rank -> {
      var x = tensor(rank, 1);
      if (rank.rank() > 0) return rank.capture(() -> rank.allReduce(x, x, Reduction.SUM));
      rank.allReduce(x, x, Reduction.SUM);
      return x.floats();
    });
    for (var outcome : outcomes) CollectiveContract.assertMessage("a capture that begins", outcome);
  }

  @Test
  void aRankThatDoesNotReplayFailsTheOthersInTime() {
    var ranks = open(size, hasty);
    var outcomes = Ranks.outcomes(ranks, rank -> {
      var x = tensor(rank, 1);
      var captured = rank.capture(() -> rank.allReduce(x, x, Reduction.SUM));
      if (rank.rank() == 1) return "absent";
      captured.replay();
      return x.floats();
    });
    assertEquals("absent", outcomes.remove(1));
    for (var outcome : outcomes) CollectiveContract.assertMessage("timeout", outcome);
    ranks.forEach(Communicator::close);
  }

  @Test
  void closingACommunicatorEndsItsCaptures() {
    var captured = RankThreads.run(open(), rank -> {
      var x = tensor(rank, 1);
      var calls = rank.capture(() -> rank.allReduce(x, x, Reduction.SUM));
      calls.replay();
      assertArrayEquals(new float[] {size * size}, x.floats());
      rank.close();
      return calls;
    });
    for (var calls : captured) assertRefused("closed", calls::replay);
  }

  @Test
  void operatorsAloneAreCaptured() {
    var ops = open(1, CollectiveContract.PATIENT).getFirst().ops();
    var x = ops.tensor(ElementType.F32, new float[] {1, 2}, 2);
    var sums = ops.zeros(ElementType.F32, 2);
    try (var captured = ops.capture(() -> ops.add(x, sums, sums))) {
      assertArrayEquals(new float[] {1, 2}, sums.floats());
      captured.replay();
      assertArrayEquals(new float[] {2, 4}, sums.floats());
    }
  }

  private static void assertRefused(String text, Runnable call) {
    var refusal = assertThrows(IllegalStateException.class, call::run);
    assertTrue(refusal.getMessage().contains(text), refusal::getMessage);
  }
}
