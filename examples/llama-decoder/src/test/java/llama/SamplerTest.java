package llama;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class SamplerTest {
  private static final int DRAWS = 20_000;
  /** Probabilities 0.1, 0.4, 0.2 and 0.3, however logits are shifted. */
  private static final float[] LOGITS = logits(0.1, 0.4, 0.2, 0.3);

  private static float[] logits(double... probabilities) {
    var logits = new float[probabilities.length];
    for (int i = 0; i < logits.length; i++) logits[i] = (float) (Math.log(probabilities[i]) + 1000);
    return logits;
  }

  private static double[] shares(Sampler sampler) {
    var shares = new double[LOGITS.length];
    for (int i = 0; i < DRAWS; i++) shares[sampler.choose(LOGITS)] += 1.0 / DRAWS;
    return shares;
  }

  @Test
  void greedyTakesTheFirstOfTheLikeliest() {
    assertEquals(1, Sampler.greedy().choose(LOGITS));
    assertEquals(2, Sampler.greedy().choose(new float[] {-3, -2, -1, -1}));
  }

  @Test
  void topPDrawsFromTheFewestTokensThatAreEnough() {
    assertArrayEquals(new double[] {0, 4 / 7.0, 0, 3 / 7.0}, shares(Sampler.topP(0.6, 1)), 0.02);
    assertArrayEquals(new double[] {0, 4 / 9.0, 2 / 9.0, 3 / 9.0}, shares(Sampler.topP(0.8, 1)), 0.02);
    assertArrayEquals(new double[] {0.1, 0.4, 0.2, 0.3}, shares(Sampler.topP(1, 1)), 0.02);
    assertArrayEquals(new double[] {0, 1, 0, 0}, shares(Sampler.topP(1e-9, 1)), 1e-6);
  }

  @Test
  void equalSeedsDrawEqualTokens() {
    assertArrayEquals(draws(7), draws(7));
    assertEquals(false, java.util.Arrays.equals(draws(7), draws(8)));
  }

  private static int[] draws(long seed) {
    var sampler = Sampler.topP(1, seed);
    return IntStream.range(0, 50).map(_ -> sampler.choose(LOGITS)).toArray();
  }

  @ParameterizedTest
  @ValueSource(doubles = {0, -1, 1.01, Double.NaN})
  void anotherPIsRefused(double p) {
    assertEquals("top-p is " + p + "; needed is above 0, at most 1",
        assertThrows(IllegalArgumentException.class, () -> Sampler.topP(p, 1)).getMessage());
  }
}
