package tilewright.verification;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tilewright.kernels.registry.KernelRegistry;
import tilewright.verification.cases.Catalogue;

class ShardTest {
  private static final int SHARDS = 16;
  private static final int SEEDS = 3;

  @Test
  void everyRunOfTheCatalogueIsInExactlyOneShard() {
    var registry = KernelRegistry.builtIn();
    var options = new VerifyOptions(Set.of(), Map.of(), Set.of(), Set.of("sim"), VerifyOptions.Size.FULL, 1, SEEDS,
        Optional.empty());
    var runs = SeededRuns.of(registry, options).keys();
    var expected = LongStream.rangeClosed(1, SEEDS).boxed().flatMap(seed -> Catalogue.cases(registry, seed).stream()
        .map(c -> List.of(c.kernel(), c.arch(), c.config(), seed))).toList();
    assertEquals(expected, runs.stream().map(key -> List.of(key.kernel(), key.arch(), key.config(), key.seed()))
        .toList());
    var keys = runs.stream().map(RunKey::text).toList();
    assertEquals(keys.size(), Set.copyOf(keys).size());
    var shards = IntStream.rangeClosed(1, SHARDS).mapToObj(i -> new Shard(i, SHARDS)).toList();
    for (var key : keys) assertEquals(1, shards.stream().filter(shard -> shard.holds(key)).count(), key);
    for (var shard : shards) {
      long held = keys.stream().filter(shard::holds).count();
      assertTrue(held > keys.size() / SHARDS / 2 && held < 2L * keys.size() / SHARDS, shard + " has " + held);
    }
  }

  /** The machines of a sweep must agree, so the hash is that of a standard: CRC-32's check value is 0xCBF43926. */
  @Test
  void aStandardDecidesTheShard() {
    for (int count : new int[] {2, 7, 16, 1000}) {
      assertTrue(new Shard((int) (0xCBF43926L % count) + 1, count).holds("123456789"));
    }
  }

  @Test
  void aShardIsReadAsItIsWritten() {
    for (var text : List.of("1/1", "3/16", "16/16", "1/1000000")) assertEquals(text, Shard.of(text).toString());
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "x", "1", "/", "1/", "/4", "0/4", "5/4", "-1/4", "1/0", "1/4/4", "1.5/4", " 1/4", "1/4 ",
      "99999999999/99999999999", "1/1000001", "１/４"})
  void anythingElseIsRefusedByName(String text) {
    var e = assertThrows(IllegalArgumentException.class, () -> Shard.of(text));
    assertTrue(e.getMessage().contains("needed is I/N"), e.getMessage());
  }
}
