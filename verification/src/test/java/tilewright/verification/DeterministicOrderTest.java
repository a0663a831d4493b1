package tilewright.verification;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import tilewright.kernel.I32;
import tilewright.kernel.Scope;
import tilewright.kernel.collective.attention.Band;
import tilewright.kernel.collective.attention.QueryBlocks;
import tilewright.kernel.collective.attention.SeqlenInfo;
import tilewright.kernels.attention.backward.DeterministicOrder;
import tilewright.kernels.attention.backward.KeyBlock;
import tilewright.numerics.ElementType;

/** The order of additions to dQ: complete, that of the launch, and without deadlock however few CTAs run at once. */
class DeterministicOrderTest {
  private static final int THREADS = 128;
  private static final int LONGEST = 21;
  private static final int MOST_BLOCKS = 8;
  private static final int NEVER = -1;

  private record Form(Band band, int tileM, int tileN) {
    DeterministicOrder order() {
      return new DeterministicOrder(band, tileM, tileN);
    }

    boolean sees(int queries, int keys, int m, int n) {
      for (int q = m * tileM; q < Math.min((m + 1) * tileM, queries); q++) {
        int position = q + keys - queries;
        for (int key = n * tileN; key < Math.min((n + 1) * tileN, keys); key++) {
          if ((band.right().isEmpty() || key <= position + band.right().getAsInt())
              && (band.left().isEmpty() || key >= position - band.left().getAsInt())) return true;
        }
      }
      return false;
    }
  }

  /** For each block of keys, and each tile of queries that it adds to, how many blocks add before it. */
  private record Schedule(int[][] before, boolean descends) {
    /** The blocks in the order of their launch. */
    List<Integer> launched() {
      return IntStream.range(0, before.length).map(i -> descends ? before.length - 1 - i : i).boxed().toList();
    }

    /** The steps until all blocks have added to their tiles of every head, {@code resident} blocks at a time. */
    int run(int heads, int resident) {
      var counts = new int[heads][MOST_BLOCKS];
      var waiting = new ArrayList<>(launched());
      var running = new ArrayList<List<int[]>>();
      int steps = 0;
      while (!waiting.isEmpty() || !running.isEmpty()) {
        while (running.size() < resident && !waiting.isEmpty()) running.add(visits(waiting.removeFirst(), heads));
        running.removeIf(List::isEmpty);
        // All of a step's additions are to what was there at its begin.
        var turns = running.stream().filter(all -> counts[all.getFirst()[0]][all.getFirst()[1]] == all.getFirst()[2])
            .toList();
        if (turns.isEmpty() && !running.isEmpty()) throw new AssertionError("deadlock of " + running.size());
        for (var all : turns) {
          var visit = all.removeFirst();
          counts[visit[0]][visit[1]]++;
        }
        if (!turns.isEmpty()) steps++;
      }
      return steps;
    }

    /** Head, tile and number of blocks before. */
    private List<int[]> visits(int block, int heads) {
      var all = new ArrayList<int[]>();
      for (int head = 0; head < heads; head++) {
        for (int m = 0; m < MOST_BLOCKS; m++) {
          if (before[block][m] != NEVER) all.add(new int[] {head, m, before[block][m]});
        }
      }
      return all;
    }
  }

  static Stream<Form> forms() {
    return ScoreMaskTest.bands().flatMap(band -> Stream.of(new Form(band, 4, 4), new Form(band, 3, 8),
        new Form(band, 8, 3)));
  }

  @ParameterizedTest
  @MethodSource("forms")
  void everyTilesOrderIsThatOfTheLaunchAndNobodyWaitsForever(Form form) {
    var sizes = new ArrayList<int[]>();
    for (int queries = 0; queries <= LONGEST; queries++) {
      for (int keys = 0; keys <= LONGEST; keys++) sizes.add(new int[] {queries, keys});
    }
    var schedules = schedules(form, sizes);
    for (int i = 0; i < sizes.size(); i++) {
      var schedule = schedules.get(i);
      var text = form + ", " + sizes.get(i)[0] + " queries, " + sizes.get(i)[1] + " keys";
      for (int m = 0; m < MOST_BLOCKS; m++) {
        int tile = m;
        var order = schedule.launched().stream().map(n -> schedule.before[n][tile]).filter(b -> b != NEVER).toList();
        assertEquals(IntStream.range(0, order.size()).boxed().toList(), order, text + ", tile " + m);
      }
      for (int heads = 1; heads <= 3; heads += 2) {
        for (int resident : new int[] {1, 2, 3, MOST_BLOCKS}) schedule.run(heads, resident);
      }
    }
  }

  @Test
  void blocksThatBeginTogetherAtTheirDiagonalsDoNotWait() {
    var form = new Form(Band.CAUSAL, 4, 4);
    for (int blocks = 1; blocks <= 5; blocks++) {
      var schedule = schedules(form, List.of(new int[] {4 * blocks, 4 * blocks})).getFirst();
      assertEquals(blocks, schedule.run(1, MOST_BLOCKS));
      assertTrue(schedule.descends);
    }
  }

  @Test
  void blocksThatBeginTogetherAtTheFirstTileFollowEachOther() {
    var form = new Form(Band.ALL, 4, 4);
    var schedule = schedules(form, List.of(new int[] {20, 12})).getFirst();
    assertEquals(5 + 2, schedule.run(1, MOST_BLOCKS));
    assertEquals(2 * 5 + 2, schedule.run(2, MOST_BLOCKS));
    assertEquals(3 * 5, schedule.run(1, 1));
  }

  /** The schedules that the kernel's own arithmetic gives, of the blocks and tiles that see each other. */
  private static List<Schedule> schedules(Form form, List<int[]> sizes) {
    var places = new ArrayList<int[]>();
    for (var s : sizes) {
      for (int n = 0; n < Math.ceilDiv(s[1], form.tileN); n++) {
        for (int m = 0; m < Math.ceilDiv(s[0], form.tileM); m++) {
          if (form.sees(s[0], s[1], m, n)) places.add(new int[] {s[0], s[1], n, m});
        }
      }
    }
    var results = before(form, places);
    var schedules = new ArrayList<Schedule>();
    int next = 0;
    for (var s : sizes) {
      var before = new int[Math.ceilDiv(s[1], form.tileN)][MOST_BLOCKS];
      for (int n = 0; n < before.length; n++) {
        for (int m = 0; m < MOST_BLOCKS; m++) before[n][m] = form.sees(s[0], s[1], m, n) ? results[next++] : NEVER;
      }
      schedules.add(new Schedule(before, form.order().descends()));
    }
    return schedules;
  }

  private static int[] before(Form form, List<int[]> places) {
    int blocks = Math.ceilDiv(places.size(), THREADS);
    var all = new ArrayList<>(places);
    while (all.size() < blocks * THREADS) all.add(places.getFirst());
    var run = new SmallKernel()
        .with("P", ElementType.I32, all.stream().flatMapToInt(IntStream::of).asDoubleStream().toArray())
        .output("Z", ElementType.I32, all.size()).run(blocks, k -> {
          var i = k.block(THREADS).plus(k.blockX().times(THREADS));
          var numbers = IntStream.range(0, 4).mapToObj(n -> SmallKernel.element(k, "P", ElementType.I32,
              i.times(4).plus(n)).loadInteger(1 << 20)).toList();
          SmallKernel.element(k, "Z", ElementType.I32, i).store(before(k, form, numbers));
        });
    return IntStream.range(0, places.size()).map(i -> run.integer("Z", i)).toArray();
  }

  private static I32 before(Scope k, Form form, List<I32> numbers) {
    var sequence = SeqlenInfo.fixed(numbers.get(0), numbers.get(1));
    var zero = k.constant(0);
    var firstKey = numbers.get(2).times(form.tileN);
    var block = new KeyBlock(k, numbers.get(2), firstKey, zero, k.constant(1), zero, sequence,
        QueryBlocks.of(form.band, sequence, firstKey, form.tileM, form.tileN), Optional.empty());
    return form.order().before(block, new KeyBlock.Tile(numbers.get(3), zero, zero, zero, sequence, zero));
  }
}
