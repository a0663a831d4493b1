package tilewright.layout.bank;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import tilewright.layout.Layout;

/** How wide an access can be, and why not wider. */
class VectorAccessTest {
  private static final Layout MEMORY = Layout.of(4096, 1);

  @ParameterizedTest
  @CsvSource(delimiter = '|', value = {
      "(2,8):(8,1)|4|4|a thread accesses 16 bytes at most",
      "(2,6):(8,1)|4|2|6 values of a thread are no multiple of 4",
      "(2,(2,2)):(4,(1,8))|4|2|value 2 of thread 0 is at element 8, not behind value 1 at 2",
      "(2,(2,2)):(8,(1,3))|4|1|value 2 of thread 0 is at byte 12, no multiple of 8",
      "(2,4):(3,1)|2|1|value 0 of thread 1 is at byte 6, no multiple of 4",
      "(2,4):(6,1)|2|2|value 0 of thread 1 is at byte 12, no multiple of 8",
      "(2,(4,2)):(16,(1,5))|1|1|value 4 of thread 0 is at byte 5, no multiple of 2"})
  void theObstacleNamesTheFirstValueInTheWay(String threadValue, int elementBytes, int values, String obstacle) {
    assertEquals(new VectorAccess(values, values * elementBytes, obstacle),
        VectorAccess.widest(Layout.parse(threadValue), MEMORY, elementBytes));
  }

  /** Where a next value would lie does not matter. */
  @Test
  void valuesThatAThreadDoesNotHaveAreNoObstacle() {
    assertEquals(2, VectorAccess.widest(Layout.parse("(2,(2,1)):(2,(1,3))"), MEMORY, 4).values());
  }

  @Test
  void aLayoutWithoutThreadsAndValuesIsRefused() {
    assertThrows(IllegalArgumentException.class, () -> VectorAccess.widest(Layout.parse("4:1"), MEMORY, 4));
  }
}
