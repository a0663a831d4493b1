package tilewright.kernel.collective;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;
import tilewright.numerics.ElementType;
import tilewright.ptx.Multiprocessor;

/** How threads lie on rows of every length. */
class RowShapeTest {
  private static final int REGISTERS = 32;
  private static final int SHARED = 128 << 10;

  @ParameterizedTest
  @EnumSource(names = {"F32", "F16", "BF16", "E4M3"})
  void aRowIsCoveredByWholeRunsWithinWhatAnSmHas(ElementType type) {
    IntStream.concat(IntStream.range(0, 600), IntStream.of(1004, 4096, 9000, 32768, 33001, 65536, 65544, 1 << 20))
        .forEach(columns -> {
          var shape = RowShape.of(type, columns);
          var what = type + " " + columns + " " + shape;
          assertEquals(0, columns % shape.vector(), what);
          assertTrue(shape.vector() * type.bytes() <= 16, what);
          assertEquals(1, Integer.bitCount(shape.threads()), what);
          assertTrue(shape.block() <= 1024 && shape.block() % 32 == 0, what);
          assertTrue(shape.rows() == 1 || shape.threads() <= 32, what);
          if (shape.resident()) assertTrue(shape.columns() >= columns, what);
          int runBytes = shape.vector() * type.bytes();
          assertTrue((shape.accesses() - shape.kept()) * shape.block() * runBytes <= SHARED, what);
          if (shape.block() == 1024) assertTrue(shape.kept() * Math.max(1, runBytes / 4) <= REGISTERS, what);
        });
  }

  @Test
  void sixtyFourThousandSinglesAreReadOnce() {
    var shape = RowShape.of(ElementType.F32, 65536);
    assertTrue(shape.resident());
    assertEquals(8, shape.kept());
    assertEquals(16, shape.accesses());
  }

  /** Not where that leaves shared memory no room, and not where accesses are too narrow to be copied there. */
  @ParameterizedTest
  @CsvSource({"65536, 5, 5", "131072, 5, 8", "32768, 5, 4", "65540, 5, 4", "65536, 0, 8"})
  void fewerAccessesAreKeptWhereThatIsChosen(int columns, int chosen, int kept) {
    assertEquals(kept, RowShape.of(ElementType.F16, columns, RowTuning.NONE.withKept(chosen)).kept());
  }

  @ParameterizedTest
  @ValueSource(ints = {67, 128, 4096, 33001, 36004})
  void everyColumnHasItsPlaceInTheOrderOnce(int columns) {
    for (int threads : new int[] {0, 32}) {
      var shape = RowShape.of(ElementType.BF16, columns, RowTuning.NONE.withThreads(threads));
      int[][] order = shape.order();
      assertEquals(shape.threads(), order.length);
      assertArrayEquals(IntStream.range(0, columns).toArray(),
          Arrays.stream(order).flatMapToInt(Arrays::stream).sorted().toArray());
      int[] first = order[0];
      // A thread's next run is behind every thread's first.
      if (first.length > shape.vector()) assertEquals(shape.threads() * shape.vector(), first[shape.vector()]);
    }
  }

  @Test
  void aWalkingShapeHasFewRunsUnderWay() {
    assertEquals(4, RowShape.of(ElementType.F32, 65536).walking().accesses());
    assertEquals(2, RowShape.of(ElementType.F32, 65536).walking(2).accesses());
    var small = RowShape.of(ElementType.F32, 128);
    assertEquals(small, small.walking());
  }

  @Test
  void aRowIsCoveredExactlyWhereNoThreadIsBehindItsEnd() {
    for (int columns : new int[] {0, 1, 67, 128, 4096, 16384, 16388, 65536, 1 << 20}) {
      var own = RowShape.of(ElementType.F32, columns);
      for (var shape : List.of(own, own.walking())) {
        int[][] order = shape.order();
        int most = Arrays.stream(order).mapToInt(mine -> mine.length).max().orElseThrow();
        boolean equal = Arrays.stream(order).allMatch(mine -> mine.length == most);
        assertEquals(columns > 0 && equal && most % (shape.accesses() * shape.vector()) == 0, shape.exact(),
            columns + " " + shape);
      }
    }
  }

  @Test
  void noMoreCtasAreAskedForThanAnSmHasRoomFor() {
    var shape = RowShape.of(ElementType.F32, 4096, RowTuning.NONE.withBlocks(8));
    assertEquals(256, shape.block());
    assertEquals(8, shape.within(Multiprocessor.of(90)).blocks());
    assertEquals(6, shape.within(Multiprocessor.of(89)).blocks());
    assertEquals(0, RowShape.of(ElementType.F32, 4096).within(Multiprocessor.of(89)).blocks());
  }

  @Test
  void theThreadsOfARowAreAsMany() {
    for (int threads : new int[] {16, 32, 256}) {
      assertEquals(threads, RowShape.of(ElementType.BF16, 4096, RowTuning.NONE.withThreads(threads)).threads());
    }
  }
}
