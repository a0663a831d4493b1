package tilewright.kernels.library;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.List;
import org.junit.jupiter.api.Test;

class SequenceLengthsTest {
  @Test
  void ofEachFourOneIsTheLongestOneHalfAndTwoAQuarterOfIt() {
    var lengths = new SequenceLengths(8, 32);
    assertEquals(List.of(0, 8, 12, 14, 16, 24, 28, 30, 32), lengths.cumulated());
    assertEquals(8, lengths.count());
    assertEquals(2 * (64 + 16 + 4 + 4), lengths.pairs());
  }
}
