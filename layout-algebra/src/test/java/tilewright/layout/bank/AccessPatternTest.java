package tilewright.layout.bank;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import tilewright.layout.Layout;

/** Where the lanes of an access begin, from coordinates. */
class AccessPatternTest {

  @ParameterizedTest
  @ValueSource(ints = {0, -1, 3, 5, 12, 32, Integer.MIN_VALUE})
  void aLaneAccessesAPowerOfTwoUpToSixteenBytes(int bytes) {
    assertThrows(IllegalArgumentException.class, () -> new AccessPattern("", List.of(0L), bytes));
  }

  @Test
  void aWarpHasOneToThirtyTwoLanes() {
    assertEquals(32, AccessPattern.of("", Layout.of(32, 1), 16).indices().size());
    assertThrows(IllegalArgumentException.class, () -> AccessPattern.of("", Layout.of(33, 1), 1));
    assertThrows(IllegalArgumentException.class, () -> AccessPattern.of("", Layout.of(1L << 40, 1), 1));
    assertThrows(IllegalArgumentException.class, () -> new AccessPattern("", List.of(), 1));
  }

  /** In a (4,2,8) memory index and coordinate (i,j,k) are i + 4 j + 8 k. */
  @Test
  void lanesGoAlongAModeAndThenAlongTheOthersInTurn() {
    var memory = Layout.parse("(4,2,8):(1,4,8)");
    for (var lane = 0; lane < 32; lane++) {
      assertEquals(lane % 4 + 4 * (lane / 4 % 2) + 8 * (lane / 8), along(memory, 0, 4).get(lane));
      assertEquals(4 * (lane % 2) + lane / 2 % 4 + 8 * (lane / 8), along(memory, 1, 4).get(lane));
      assertEquals(8 * (lane % 8) + lane / 8 % 4, along(memory, 2, 4).get(lane));
    }
  }

  private static List<Long> along(Layout memory, int mode, int accessBytes) {
    return AccessPattern.along(memory, mode, 4, accessBytes).indices();
  }

  /** In a (4,8) memory whose rows are contiguous, index and coordinate (i,j) are i + 4 j. */
  @Test
  void lanesOfSeveralElementsStepOverThemWhereTheyAreNeighbours() {
    var memory = Layout.parse("(4,8):(8,1)");
    for (var lane = 0; lane < 16; lane++) {
      assertEquals(lane % 4 + 4 * 2 * (lane / 4), along(memory, 0, 8).get(lane));
      assertEquals(4 * 2 * (lane % 4) + lane / 4, along(memory, 1, 8).get(lane));
    }
    assertEquals(16, along(memory, 0, 8).size());
    assertEquals("along mode 1", AccessPattern.along(memory, 1, 4, 8).name());
  }

  @Test
  void asManyNeighboursAsAnAccessHasAreEnough() {
    var pairs = LongStream.range(0, 8).map(lane -> 2 * lane).boxed().toList();
    assertEquals(pairs, along(Layout.parse("(2,8):(1,16)"), 0, 8));
    assertEquals(List.of(0L, 4L), AccessPattern.along(Layout.parse("8:1"), 0, 1, 4).indices());
  }

  @ParameterizedTest
  @ValueSource(strings = {"(2,8):(2,16)", "(3,4):(1,3)", "(4,4):(0,0)"})
  void withoutNeighboursLanesAccessNoVector(String memory) {
    var e = assertThrows(IllegalArgumentException.class, () -> along(Layout.parse(memory), 0, 8));
    assertTrue(e.getMessage().startsWith("no mode of " + memory + " has 2 neighbouring elements of 4 bytes"),
        e.getMessage());
  }

  @Test
  void anElementOfNoBytesIsRefused() {
    var memory = Layout.parse("8:1");
    var pattern = AccessPattern.of("", memory, 4);
    var threadValue = Layout.parse("(2,2):(1,2)");
    for (var bytes : List.of(0, -4)) {
      assertThrows(IllegalArgumentException.class, () -> AccessPattern.along(memory, 0, bytes, 4));
      assertThrows(IllegalArgumentException.class, () -> BankAnalysis.of(memory, bytes, pattern));
      assertThrows(IllegalArgumentException.class, () -> SectorCount.of(memory, bytes, pattern));
      assertThrows(IllegalArgumentException.class, () -> SwizzleSearch.smallest(memory, bytes, List.of(pattern)));
      assertThrows(IllegalArgumentException.class, () -> VectorAccess.widest(threadValue, memory, bytes));
    }
  }

  /** Rows of 16 bytes: eight of 16 bits. Lane 8 m + r has row r of matrix m, which begins at (row, column). */
  @ParameterizedTest
  @CsvSource({"1,8,8,0 0", "1,16,8,0 0", "2,16,8,0 0 8 0", "2,8,16,0 0 0 8", "2,12,16,0 0 0 8",
      "4,16,16,0 0 8 0 0 8 8 8", "4,24,16,0 0 8 0 0 8 8 8", "4,8,32,0 0 0 8 0 16 0 24"})
  void matricesLieBelowEachOtherAndThenBesideEachOther(int count, int rows, int columns, String places) {
    var byRow = AccessPattern.matrices(Layout.parse("(" + rows + "," + columns + "):(" + columns + ",1)"), count, 2);
    var byColumn = AccessPattern.matrices(Layout.parse("(" + columns + "," + rows + "):(1," + columns + ")"), count, 2);
    var at = Pattern.compile(" ").splitAsStream(places).mapToInt(Integer::parseInt).toArray();
    assertEquals(8 * count, byRow.indices().size());
    for (var lane = 0; lane < 8 * count; lane++) {
      var row = at[lane / 8 * 2] + lane % 8;
      var column = at[lane / 8 * 2 + 1];
      assertEquals(row + rows * column, byRow.indices().get(lane));
      assertEquals(column + columns * row, byColumn.indices().get(lane));
    }
    assertEquals("ldmatrix.x" + count, byRow.name());
    assertEquals(16, byRow.accessBytes());
  }

  @ParameterizedTest
  @CsvSource({"2,8,8", "4,16,8", "4,8,16", "4,8,24", "1,7,8", "1,8,4", "0,8,8", "3,32,32", "8,64,64"})
  void memoryWithoutAsManyMatricesIsRefused(int count, int rows, int columns) {
    var memory = Layout.parse("(" + rows + "," + columns + "):(" + columns + ",1)");
    assertThrows(IllegalArgumentException.class, () -> AccessPattern.matrices(memory, count, 2));
  }

  @Test
  void matricesNeedTwoModes() {
    assertThrows(IllegalArgumentException.class, () -> AccessPattern.matrices(Layout.parse("64:1"), 1, 2));
    assertThrows(IllegalArgumentException.class, () -> AccessPattern.matrices(Layout.parse("(8,8,2):(8,1,64)"), 1, 2));
  }

  /** Thread t has the values 2 t, 2 t + 1 and, 96 further on, two more. */
  @Test
  void eachWarpAccessesItsValuesInTurnAndTheLastMayBeSmaller() {
    var patterns = AccessPattern.ofThreadValues(Layout.parse("(48,(2,2)):(2,(1,96))"), 2, 4);
    assertEquals(List.of("warp 0, value 0", "warp 0, value 2", "warp 1, value 0", "warp 1, value 2"),
        patterns.stream().map(AccessPattern::name).toList());
    for (var i = 0; i < 4; i++) {
      var warp = i / 2;
      var half = i % 2;
      var threads = LongStream.range(32 * warp, warp == 0 ? 32 : 48);
      assertEquals(threads.map(thread -> 2 * thread + 96 * half).boxed().toList(), patterns.get(i).indices());
      assertEquals(8, patterns.get(i).accessBytes());
    }
  }

  @Test
  void oneWarpNeedsNoNumber() {
    var patterns = AccessPattern.ofThreadValues(Layout.parse("(32,2):(1,32)"), 1, 4);
    assertEquals(List.of("value 0", "value 1"), patterns.stream().map(AccessPattern::name).toList());
    assertEquals(LongStream.range(32, 64).boxed().toList(), patterns.getLast().indices());
  }

  @Test
  void valuesAtOnceDivideThoseOfAThread() {
    for (var values : List.of(-1, 0, 3)) {
      assertThrows(IllegalArgumentException.class,
          () -> AccessPattern.ofThreadValues(Layout.parse("(4,4):(4,1)"), values, 1));
    }
    assertThrows(IllegalArgumentException.class, () -> AccessPattern.ofThreadValues(Layout.parse("4:1"), 1, 1));
  }
}
