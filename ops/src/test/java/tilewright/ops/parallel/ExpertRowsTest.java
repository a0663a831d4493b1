package tilewright.ops.parallel;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** The order of rows on their way to experts, against rows that are sorted one by one. */
class ExpertRowsTest {
  private record Row(int sender, int expert, int number) {}

  @Test
  void rowsAreSortedBySenderAndByExpert() {
    var random = new Random(7);
    for (int ranks = 1; ranks <= 4; ranks++) {
      var counts = new int[ranks][ranks * 3];
      for (var each : counts) IntStream.range(0, each.length).forEach(i -> each[i] = random.nextInt(3));
      for (int rank = 0; rank < ranks; rank++) check(new ExpertRows(rank, counts));
    }
  }

  private static void check(ExpertRows order) {
    var received = new ArrayList<Row>();
    for (int sender = 0; sender < order.counts().length; sender++) {
      assertEquals(received.size(), order.received()[sender]);
      for (int own = 0; own < 3; own++) {
        for (int i = 0; i < order.counts()[sender][order.rank() * 3 + own]; i++) {
          received.add(new Row(sender, own, received.size()));
        }
      }
    }
    var sorted = received.stream().sorted(Comparator.comparingInt(Row::expert).thenComparing(Row::number)).toList();
    assertArrayEquals(sorted.stream().mapToInt(Row::number).toArray(), order.senders());
    for (int expert = 0; expert <= 3; expert++) {
      int before = expert;
      assertEquals(sorted.stream().filter(row -> row.expert() < before).count(), order.ofExperts()[expert]);
    }
    for (int to = 0; to <= order.counts().length; to++) {
      assertEquals(IntStream.of(order.counts()[order.rank()]).limit(to * 3L).sum(), order.sent()[to]);
    }
  }

  @Test
  void anInverseUndoesAPermutation() {
    assertArrayEquals(new int[] {1, 2, 0}, ExpertRows.inverse(new int[] {2, 0, 1}));
  }
}
