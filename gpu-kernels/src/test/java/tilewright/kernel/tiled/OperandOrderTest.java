package tilewright.kernel.tiled;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.HashSet;
import java.util.stream.IntStream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import tilewright.layout.OffsetMap;
import tilewright.numerics.ElementType;

/** Tiles in every order: each element has a place of its own, and eight rows meet as many banks as the order says. */
class OperandOrderTest {
  private static final int ROWS = 128;
  private static final int COLUMNS = 32;
  private static final int STAGES = 2;
  /** 16-byte chunks of a row of all banks. */
  private static final int CHUNKS = 8;

  @ParameterizedTest
  @EnumSource
  void everyElementHasAPlaceOfItsOwn(OperandOrder order) {
    assertInjective(order.alongColumns(ElementType.BF16, ROWS, COLUMNS, STAGES));
    assertInjective(order.alongRows(ElementType.BF16, ROWS, COLUMNS, STAGES));
    assertInjective(order.alongColumnsInRuns(ElementType.BF16, ROWS, COLUMNS, STAGES, 8));
    assertInjective(order.alongColumnsInRuns(ElementType.BF16, ROWS, COLUMNS, STAGES, 4));
  }

  private static void assertInjective(OffsetMap tile) {
    int size = ROWS * COLUMNS * STAGES;
    var places = new HashSet<Long>();
    for (int i = 0; i < size; i++) places.add(tile.apply(i));
    assertEquals(size, places.size());
  }

  /** Runs change which row of B lies where, not where the rows lie. */
  @ParameterizedTest
  @EnumSource
  void runsUseThePlacesOfTheTile(OperandOrder order) {
    assertEquals(places(order.alongColumns(ElementType.BF16, ROWS, COLUMNS, STAGES)),
        places(order.alongColumnsInRuns(ElementType.BF16, ROWS, COLUMNS, STAGES, 8)));
  }

  private static HashSet<Long> places(OffsetMap tile) {
    var places = new HashSet<Long>();
    IntStream.range(0, ROWS * COLUMNS * STAGES).forEach(i -> places.add(tile.apply(i)));
    return places;
  }

  @ParameterizedTest
  @CsvSource({"SWIZZLED,8,8", "PADDED,8,8", "PLAIN,2,1"})
  void eightRowsOfLdmatrixMeetTheBanksThatTheOrderSays(OperandOrder order, int alongColumns, int alongRows) {
    assertEquals(alongColumns, chunks(order.alongColumns(ElementType.BF16, ROWS, COLUMNS, STAGES), 1));
    assertEquals(alongRows, chunks(order.alongRows(ElementType.BF16, ROWS, COLUMNS, STAGES), ROWS));
  }

  /** @param step from one of the eight rows of 16 bytes to the next, in elements of the tile's column-major order */
  private static long chunks(OffsetMap tile, int step) {
    return IntStream.range(0, 8).mapToLong(row -> tile.apply((long) row * step) / 8 % CHUNKS).distinct().count();
  }
}
