package tilewright.ops.collectives;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import tilewright.numerics.ElementType;
import tilewright.ops.Ops;

/** Each collective against its definition, whatever moves the data. */
abstract class CollectiveContract {
  static final CollectiveOptions PATIENT = CollectiveOptions.of().timeout(Duration.ofSeconds(60));
  static final CollectiveOptions HASTY = CollectiveOptions.of().timeout(Duration.ofMillis(100));

  private final int size;
  private final CollectiveOptions hasty;

  CollectiveContract(int size, CollectiveOptions hasty) {
    this.size = size;
    this.hasty = hasty;
  }

  abstract List<Communicator> open(int size, CollectiveOptions options);

  /** The sums of {@link #numbers} over all ranks. */
  private int[] sums(int first, int count) {
    return IntStream.range(first, first + count).map(i -> 50 * size * (size + 1) + size * i).toArray();
  }

  private static int[] numbers(int rank, int count) {
    return IntStream.range(0, count).map(i -> 100 * (rank + 1) + i).toArray();
  }

  @Test
  void allRanksGetSums() {
    var results = RankThreads.run(open(size, PATIENT), rank -> {
      var x = rank.ops().ints(numbers(rank.rank(), 5), 5);
      var y = rank.ops().tensor(ElementType.F32, new float[] {0.5f + rank.rank()}, 1);
      rank.group(() -> {
        rank.allReduce(x, x, Reduction.SUM);
        rank.allReduce(y, y, Reduction.SUM);
      });
      assertArrayEquals(new float[] {size * size / 2f}, y.floats());
      return x.ints();
    });
    for (var result : results) assertArrayEquals(sums(0, 5), result);
  }

  @Test
  void oneRankGetsTheLargest() {
    var results = RankThreads.run(open(size, PATIENT), rank -> {
      var x = rank.ops().ints(numbers(rank.rank(), 2), 2);
      var most = rank.ops().ints(new int[2], 2);
      rank.reduce(x, most, Reduction.MAX, 1);
      return most.ints();
    });
    assertArrayEquals(numbers(size - 1, 2), results.get(1));
  }

  @Test
  void eachRankGetsItsPartOfSums() {
    var results = RankThreads.run(open(size, PATIENT), rank -> {
      var x = rank.ops().ints(numbers(rank.rank(), 2 * size), 2 * size);
      var part = rank.ops().ints(new int[2], 2);
      rank.reduceScatter(x, part, Reduction.SUM);
      return part.ints();
    });
    for (int rank = 0; rank < size; rank++) assertArrayEquals(sums(2 * rank, 2), results.get(rank));
  }

  @Test
  void allRanksGetAllParts() {
    var results = RankThreads.run(open(size, PATIENT), rank -> {
      var x = rank.ops().tensor(ElementType.BF16, new float[] {rank.rank(), -1}, 2);
      var all = rank.ops().zeros(ElementType.BF16, size, 2);
      rank.allGather(x, all);
      return all.floats();
    });
    for (var result : results) {
      for (int i = 0; i < size; i++) {
        assertEquals(i, result[2 * i]);
        assertEquals(-1, result[2 * i + 1]);
      }
    }
  }

  @Test
  void allRanksGetWhatOneHas() {
    var results = RankThreads.run(open(size, PATIENT), rank -> {
      var x = rank.ops().ints(numbers(rank.rank(), 4), 2, 2);
      rank.broadcast(x, size - 1);
      rank.broadcast(x.select(0, 1), 0);
      return x.ints();
    });
    for (var result : results) assertArrayEquals(numbers(size - 1, 4), result);
  }

  @Test
  void tensorsGoRound() {
    var results = RankThreads.run(open(size, PATIENT), rank -> {
      int next = (rank.rank() + 1) % size;
      int previous = (rank.rank() + size - 1) % size;
      var mine = rank.ops().ints(numbers(rank.rank(), 2), 2);
      var theirs = rank.ops().ints(new int[2], 2);
      var work = rank.start(() -> {
        rank.send(mine, next);
        rank.receive(theirs, previous);
      });
      work.join();
      work.join();
      return theirs.ints();
    });
    for (int rank = 0; rank < size; rank++) {
      assertArrayEquals(numbers((rank + size - 1) % size, 2), results.get(rank));
    }
  }

  @Test
  void ranksThatDisagreeAllFailAndSayWhy() {
    var outcomes = Ranks.outcomes(open(size, PATIENT), rank -> {
      var x = rank.ops().ints(new int[4 + rank.rank() / (size - 1)], 4 + rank.rank() / (size - 1));
      rank.allReduce(x, x, Reduction.SUM);
      rank.await();
      return "done";
    });
    for (var outcome : outcomes) assertMessage("4 elements of i32", outcome);
    for (var outcome : outcomes) assertMessage("5 elements of i32", outcome);
  }

  @Test
  void aRankThatNeverComesFailsTheOthersInTime() {
    var ranks = open(size, hasty);
    var outcomes = Ranks.outcomes(ranks, rank -> {
      if (rank.rank() == 1) return "absent";
      var x = rank.ops().ints(new int[2], 2);
      rank.allReduce(x, x, Reduction.SUM);
      rank.await();
      return "done";
    });
    assertEquals("absent", outcomes.get(1));
    outcomes.remove(1);
    for (var outcome : outcomes) assertMessage("timeout", outcome);
    ranks.forEach(Communicator::close);
  }

  @Test
  void aRankThatAbortsFailsTheOthersAtOnce() {
    var outcomes = Ranks.outcomes(open(size, PATIENT), rank -> {
      if (rank.rank() == 1) {
        rank.abort("out of memory");
        return "gone";
      }
      var x = rank.ops().ints(new int[2], 2);
      rank.allReduce(x, x, Reduction.SUM);
      rank.await();
      return "done";
    });
    outcomes.remove(1);
    for (var outcome : outcomes) assertMessage("rank 1 aborted: out of memory", outcome);
  }

  @Test
  void callsThatCannotBeAreRefused() {
    try (var rank = open(1, PATIENT).getFirst()) {
      var ops = rank.ops();
      var x = ops.ints(new int[6], 2, 3);
      var e4m3 = ops.empty(ElementType.E4M3, 2);
      assertRefused("no rank 1", () -> rank.send(x, 1));
      assertRefused("gaps", () -> rank.broadcast(x.transpose(0, 1), 0));
      assertRefused("6 elements of i32", () -> rank.allReduce(x, ops.ints(new int[5], 5), Reduction.SUM));
      assertRefused("6 elements of i32", () -> rank.allGather(x, ops.zeros(ElementType.F32, 6)));
      assertRefused("f32, f16, bf16, i32", () -> rank.allReduce(e4m3, e4m3, Reduction.SUM));
      var others = Ops.simulators(1).getFirst().ints(new int[1], 1);
      assertRefused("belongs to other operators", () -> rank.broadcast(others, 0));
    }
  }

  static void assertRefused(String text, Runnable call) {
    var refusal = assertThrows(IllegalArgumentException.class, call::run);
    assertTrue(refusal.getMessage().contains(text), refusal::getMessage);
  }

  static void assertMessage(String text, Object outcome) {
    assertTrue(outcome instanceof CollectiveException e && e.getMessage().contains(text), outcome::toString);
  }
}
