package tilewright.verification.peer;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import tilewright.verification.LongSuite;

/** Exchanges among 2, 4 and 8 devices give the bits of their definitions, launch after launch. */
class PeerKernelsTest {
  private static final int SEEDS = LongSuite.count(8);

  @ParameterizedTest
  @CsvSource({"ALL_GATHER, 2", "ALL_GATHER, 4", "ALL_GATHER, 8", "REDUCE_SCATTER, 2", "REDUCE_SCATTER, 4",
      "REDUCE_SCATTER, 8", "ONE_SHOT, 2", "ONE_SHOT, 4", "ONE_SHOT, 8", "TWO_SHOT, 2", "TWO_SHOT, 4", "TWO_SHOT, 8"})
  void everyDeviceHasTheBitsOfTheDefinition(Exchanges kind, int ranks) {
    var exchange = kind.of(ranks, 2);
    for (int seed = 0; seed < SEEDS; seed++) {
      assertEquals(List.of(), exchange.run(seed).findings(), "seed " + seed);
      assertTrue(exchange.isRight(), "seed " + seed);
      assertTrue(exchange.isReady(), "seed " + seed);
    }
  }
}
