package tilewright.verification;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import tilewright.kernel.Scope;
import tilewright.kernel.collective.attention.AttentionTileScheduler;
import tilewright.numerics.ElementType;

/** The order of attention's tiles beside lists of what it is meant to be. */
class AttentionTileSchedulerTest {
  private record Place(int number, int head) {}

  @ParameterizedTest(name = "{0} tiles, {1}x{2} heads, groups of {3}, {4} before the last")
  @CsvSource({"4, 3, 2, 2, 0", "4, 3, 2, 2, 2", "4, 3, 2, 2, 4", "5, 7, 1, 3, 3", "1, 4, 3, 5, 5", "3, 2, 2, 1, 1",
      "3, 2, 2, 9, 0"})
  void theLastGroupHasTheHeadsThatAreLeft(int tiles, int heads, int batch, int together, int beforeLast) {
    var sizes = new ArrayList<Integer>();
    for (int i = 0; i < beforeLast; i += together) sizes.add(together);
    sizes.add(heads * batch - beforeLast);
    assertOrder(expected(tiles, sizes, true), tiles, heads, batch, together, Optional.of(beforeLast), true);
  }

  @ParameterizedTest(name = "{0} tiles, {1}x{2} heads, groups of {3}, the longest first: {4}")
  @CsvSource({"4, 3, 2, 2, true", "4, 3, 2, 4, true", "5, 7, 1, 3, false", "3, 2, 2, 1, false", "3, 2, 2, 9, true"})
  void groupsAreOfOneSizeOtherwise(int tiles, int heads, int batch, int together, boolean longestFirst) {
    var sizes = new ArrayList<Integer>();
    for (int i = 0; i < heads * batch; i += together) sizes.add(Math.min(together, heads * batch - i));
    assertOrder(expected(tiles, sizes, longestFirst), tiles, heads, batch, together, Optional.empty(), longestFirst);
  }

  /** Every tile of one number of a group's heads comes before those of the next. */
  private static List<Place> expected(int tiles, List<Integer> groups, boolean longestFirst) {
    var order = new ArrayList<Place>();
    int first = 0;
    for (int group : groups) {
      for (int i = 0; i < tiles; i++) {
        int number = longestFirst ? tiles - 1 - i : i;
        for (int head = first; head < first + group; head++) order.add(new Place(number, head));
      }
      first += group;
    }
    return order;
  }

  private static void assertOrder(List<Place> expected, int tiles, int heads, int batch, int together,
      Optional<Integer> beforeLast, boolean longestFirst) {
    int count = expected.size();
    var run = new SmallKernel().output("number", ElementType.I32, count).output("head", ElementType.I32, count)
        .output("entry", ElementType.I32, count).run(1, k -> {
          var thread = k.block(count);
          var tile = scheduler(k, tiles, heads, batch, together, beforeLast, longestFirst).tile(thread);
          SmallKernel.element(k, "number", ElementType.I32, thread).store(tile.number());
          SmallKernel.element(k, "head", ElementType.I32, thread).store(tile.head());
          SmallKernel.element(k, "entry", ElementType.I32, thread).store(tile.batch());
        });
    assertArrayEquals(of(expected.stream().mapToInt(Place::number)), run.values("number"));
    assertArrayEquals(of(expected.stream().mapToInt(place -> place.head % heads)), run.values("head"));
    assertArrayEquals(of(expected.stream().mapToInt(place -> place.head / heads)), run.values("entry"));
  }

  private static AttentionTileScheduler scheduler(Scope k, int tiles, int heads, int batch, int together,
      Optional<Integer> beforeLast, boolean longestFirst) {
    return new AttentionTileScheduler(k.constant(tiles), k.constant(heads), k.constant(batch), k.constant(together),
        beforeLast.map(k::constant), longestFirst);
  }

  private static double[] of(IntStream numbers) {
    return numbers.asDoubleStream().toArray();
  }
}
