package tilewright.kernels.attention.serving;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import tilewright.kernels.choice.Formula;

class KeySplitsTest {
  private static final int MULTIPROCESSORS = 132;

  /** Splits of 8 heads in blocks of 128 keys: full waves need none, and a remainder counts as a wave. */
  @ParameterizedTest(name = "{0} tiles of {1} blocks")
  @CsvSource({"1024, 8, 1", "512, 32, 1", "256, 64, 1", "128, 1024, 1", "64, 128, 2", "32, 128, 4", "66, 128, 2",
      "10000, 1, 1", "1, 3, 1", "1, 8, 2"})
  void asFewAsFillTheLastWave(int tiles, int blocks, int splits) {
    assertEquals(splits, fewest(tiles, blocks));
  }

  private static int fewest(int tiles, int blocks) {
    return (int) KeySplits.fewest(Formula.of(tiles), Formula.of(blocks), MULTIPROCESSORS).at(Map.of());
  }

  @Test
  void noOtherNumberIsMuchFaster() {
    long seed = System.nanoTime();
    var random = new Random(seed);
    for (int i = 0; i < 200; i++) {
      int tiles = random.nextInt(1, 300);
      int blocks = random.nextInt(1, 1500);
      int chosen = fewest(tiles, blocks);
      for (int other = 1; other <= blocks / 4; other++) {
        assertTrue(0.97 * waves(tiles, blocks, chosen) <= waves(tiles, blocks, other) + 1e-9,
            tiles + " tiles of " + blocks + " blocks: "
                + other + " splits are faster than " + chosen + ", seed " + seed);
      }
    }
  }

  /** Work items run one after the other on each multiprocessor, an item's blocks and 1.5 besides. */
  private static double waves(int tiles, int blocks, int splits) {
    int each = (blocks + splits - 1) / splits;
    int items = tiles * ((blocks + each - 1) / each);
    double longest = 0;
    for (int item = 0; item < items; item += MULTIPROCESSORS) longest += each + 1.5;
    return longest;
  }

  @Test
  void wordsAreSplits() {
    assertEquals(KeySplits.AUTOMATIC, KeySplits.parse("auto"));
    assertEquals(new KeySplits.Balanced(), KeySplits.parse("balanced"));
    assertEquals(new KeySplits.Ranges(4), KeySplits.parse("4"));
    assertEquals(new KeySplits.Fixed(512), KeySplits.parse("512-keys"));
    assertEquals("invalid splits many: auto, balanced, a number such as 4, or keys of each such as 512-keys",
        assertThrows(IllegalArgumentException.class, () -> KeySplits.parse("many")).getMessage());
  }

  @Test
  void impossibleSplitsAreRefused() {
    assertEquals("invalid number of splits 0: 1 to 1024",
        assertThrows(IllegalArgumentException.class, () -> new KeySplits.Ranges(0)).getMessage());
    assertEquals("invalid keys per split 0: at least 1",
        assertThrows(IllegalArgumentException.class, () -> new KeySplits.Fixed(0)).getMessage());
  }
}
