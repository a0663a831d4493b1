package tilewright.kernels.choice;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class HeadOrderTest {
  private static final HeadOrder ORDER = new HeadOrder(132, 32L << 20);

  @ParameterizedTest(name = "{0} heads, {1} sharing {2} KiB, {3} tiles each")
  @CsvSource({
      "512, 1, 256, 4, 33, 429", // A wave; the last group of at most 3 · 33.
      "256, 1, 512, 4, 33, 198", // At most 32 MiB / 512 KiB = 64.
      "64, 1, 8192, 32, 5, 50", // At most 3 · 5, which is less than 132 / 6.
      "64, 1, 65536, 8, 17, 51", // At most 132 / 6, as L2 holds less than one.
      "64, 4, 16384, 4, 33, 33", // Four share 16 MiB, but a wave of heads is more than 8 and than 22.
      "16, 1, 128, 1, 16, 0", // All fit in the last.
      "64, 8, 1024, 22, 6, 0", // All fit in L2.
  })
  void areWavesAndALargerLastOne(int heads, int sharers, int kibibytes, int tiles, int together, int beforeLast) {
    var groups = ORDER.inWaves(Formula.of(heads), Formula.of(sharers), Formula.of(1024.0 * kibibytes),
        Formula.of(tiles));
    assertEquals(together, groups.together().value());
    assertEquals(beforeLast, groups.beforeLast().value());
  }

  @Test
  void makeUpAllHeads() {
    long seed = System.nanoTime();
    var random = new Random(seed);
    for (int i = 0; i < 10_000; i++) {
      int heads = random.nextInt(1, 2000);
      int sharers = 1 << random.nextInt(4);
      var bytes = Formula.of((double) random.nextLong(1L << random.nextInt(40)));
      var of = ORDER.inWaves(Formula.of(heads), Formula.of(sharers), bytes, Formula.of(random.nextInt(1, 1000)));
      assertGroups(of, heads, "seed " + seed + ", " + i);
      assertGroups(ORDER.inCache(Formula.of(heads), Formula.of(sharers), bytes), heads, "in a cache, seed " + seed);
    }
  }

  private static void assertGroups(HeadOrder.Groups groups, int heads, String which) {
    double together = groups.together().value();
    double beforeLast = groups.beforeLast().value();
    assertTrue(together >= 1 && together <= heads, () -> which + ": groups of " + together);
    assertTrue(beforeLast >= 0 && beforeLast < heads && beforeLast % together == 0,
        () -> which + ": " + beforeLast + " of " + heads + " heads in groups of " + together);
  }
}
