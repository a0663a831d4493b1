package tilewright.sm90.collective;

import java.util.List;
import tilewright.async.collective.ClusterTiles;
import tilewright.kernel.Element;
import tilewright.kernel.I32;
import tilewright.kernel.I32Variable;
import tilewright.kernel.PreparedLaunch;
import tilewright.kernel.Scope;
import tilewright.kernel.TensorSpec;
import tilewright.layout.Layout;
import tilewright.numerics.ElementType;

/**
 * Keeps the CTAs of a launch in step: none copies a tile before all have come near the end of their last one. CTAs of
 * a wave need the same rows of A and of B; in step, the first that copies them brings them to L2 and the others find
 * them there, where else CTAs drift apart by whole tiles.
 *
 * <p>Only the time depends on it: a CTA that has looked often enough for a tile goes on, and waits no more, so that
 * those which other work on the GPU keeps from starting hold up nobody for long. The scratch tensor "pace" of one
 * integer is 0 before the launch and 0 again after it.
 *
 * @param counter how often CTAs have come near the end of a tile
 * @param tiles that every CTA has; the last ones, which only some have, are not waited for
 * @param turn the number of this CTA's present tile
 * @param patience how often the CTA looks before it goes on
 */
public record Pace(Scope k, Element counter, I32 tiles, I32Variable turn, I32Variable patience) {
  private static final String PACE = "pace";
  /** Steps along k before the end of a tile that count as its end: as long as others may be late, without a wait. */
  private static final int LAST_STEPS = 16;
  private static final int MOST_LOOKS = 1000;

  /** Of all tiles of a C of these extents. */
  public static Pace of(ClusterTiles tiles, I32 extentM, I32 extentN, I32 batch) {
    var k = tiles.k();
    var counter = k.global(TensorSpec.of(PACE, ElementType.I32, "one").contiguous("one")).at(k.constant(0));
    return new Pace(k, counter, tiles.perCluster(extentM, extentN, batch),
        k.variable(k.constant(0), Integer.MAX_VALUE), k.variable(k.constant(MOST_LOOKS), MOST_LOOKS));
  }

  /** What the launch needs in memory. */
  public static List<PreparedLaunch.Scratch> scratch() {
    return List.of(new PreparedLaunch.Scratch(PACE, ElementType.I32, Layout.of(1, 1)));
  }

  /** One thread, before it copies a tile: waits for the other CTAs. */
  void await() {
    var others = k.gridX().times(turn.value());
    k.when(turn.value().lessThan(tiles), () -> k.repeatUntil(() -> {
      patience.set(patience.value().plus(-1).max(0));
      return others.plus(-1).lessThan(counter.present()).or(patience.value().equalTo(0));
    }));
    patience.set(k.constant(MOST_LOOKS).where(patience.value().atLeast(1), 0));
  }

  /** The steps of a tile after which it is near its end. */
  I32 steps(I32 all) {
    return all.minus(k.constant(LAST_STEPS)).max(0);
  }

  /** The thread has come near the end of a tile. The last arrival of all leaves zero. */
  void arrive() {
    k.when(turn.value().lessThan(tiles), () -> counter.drawNext(k.gridX().times(tiles)));
    turn.set(turn.value().plus(1));
  }
}
