package tilewright.verification.bench;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.List;
import org.junit.jupiter.api.Test;

class SampleTest {
  @Test
  void theMedianIsTheMiddleOrTheMeanOfTheMiddleTwo() {
    assertEquals(2, Sample.of(9, 1, 2).median());
    assertEquals(2.5, Sample.of(9, 1, 2, 3).median());
    assertEquals(7, Sample.of(7).median());
  }

  @Test
  void theSpreadIsThe10thAnd90thPercentile() {
    assertEquals(List.of(1.0, 9.0), Sample.of(10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0).spread());
    assertEquals(List.of(4.0, 4.0), Sample.of(4).spread());
  }

  @Test
  void aMultipleOfASampleHasTheMultipleOfItsMedianAndSpread() {
    var twice = Sample.of(10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0).times(2);
    assertEquals(10, twice.median());
    assertEquals(List.of(2.0, 18.0), twice.spread());
  }

  @Test
  void nothingHasNoMedian() {
    assertThrows(IllegalArgumentException.class, () -> Sample.of());
  }
}
