package tilewright.device;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;

class GpuTimerTest {
  @Test
  void takesTheMiddleOfAnOddNumberOfRuns() {
    assertEquals(new Timing(2, 1, 9, 3), GpuTimer.summarise(new double[] {9, 1, 2}));
  }

  @Test
  void takesTheMeanOfTheMiddleTwoOfAnEvenNumber() {
    assertEquals(new Timing(2.5, 1, 9, 4), GpuTimer.summarise(new double[] {9, 1, 2, 3}));
  }

  @Test
  void convertsToRatesAMedianInMilliseconds() {
    var timing = new Timing(2, 2, 2, 1);
    assertEquals(0.5, timing.teraflops(1e9), 1e-12);
    assertEquals(3, timing.terabytesPerSecond(6e9), 1e-12);
  }
}
