package tilewright.verification.bench;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class RoundsTest {
  private final Rounds rounds = new Rounds();

  @Test
  void oursAreAllTimesOfAllRounds() {
    rounds.add(List.of(1.0, 2.0), Map.of());
    rounds.add(List.of(9.0), Map.of());
    assertEquals(List.of(1.0, 2.0, 9.0), rounds.ours().times());
    assertTrue(rounds.ratios().isEmpty());
  }

  @Test
  void aRatioIsThatOfOneRoundToTheFastestPeer() {
    rounds.add(List.of(2.0, 4.0, 3.0), Map.of("fast", 6.0, "slow", 30.0));
    rounds.add(List.of(8.0), Map.of("fast", 4.0, "slow", 40.0));
    assertEquals(Map.of("fast", 5.0, "slow", 35.0), rounds.peers());
    assertEquals(List.of(0.5, 2.0), rounds.ratios().orElseThrow().times());
  }

  @Test
  void aGpuThatIsSlowForARoundDoesNotChangeTheRatio() {
    for (double slower : new double[] {1, 3, 1.5}) rounds.add(List.of(2 * slower), Map.of("peer", 4 * slower));
    assertEquals(List.of(2.0, 2.0), rounds.ratios().orElseThrow().spread());
  }

  @Test
  void aPeerThatFailsLaterKeepsItsRounds() {
    rounds.add(List.of(1.0), Map.of("peer", 3.0));
    rounds.add(List.of(1.0), Map.of());
    assertEquals(List.of(3.0), rounds.ratios().orElseThrow().times());
  }
}
