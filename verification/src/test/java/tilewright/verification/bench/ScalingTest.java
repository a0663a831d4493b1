package tilewright.verification.bench;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Lengths of sequences on several devices, whose work per device is the square of the length over their number. */
class ScalingTest {
  @ParameterizedTest
  @CsvSource({"65536,1", "65536,2", "131072,2", "65536,4", "65536,8", "131072,8"})
  void eachDeviceHasTheWorkOfOne(int onOne, int devices) {
    int tokens = Scaling.WEAK.tokens(onOne, devices);
    assertEquals(0, tokens % (2 * devices));
    assertEquals(1, (double) tokens * tokens / devices / ((double) onOne * onOne), 0.02);
    assertEquals(onOne, Scaling.STRONG.tokens(onOne, devices));
  }

  @ParameterizedTest
  @CsvSource({"65536,4,131072", "1,2,512"})
  void chunksAreWholeTiles(int onOne, int devices, int tokens) {
    assertEquals(tokens, Scaling.WEAK.tokens(onOne, devices));
  }
}
