package tilewright.async.schedule;

import java.util.List;
import java.util.function.Consumer;
import tilewright.async.collective.OrderedSequence;
import tilewright.kernel.Element;
import tilewright.kernel.I32;
import tilewright.kernel.PreparedLaunch;
import tilewright.kernel.Scope;
import tilewright.kernel.TensorSpec;
import tilewright.layout.Layout;
import tilewright.numerics.ElementType;

/**
 * Persistent tiles that the CTAs of a launch load wave by wave: no CTA loads a tile before all have come near the end
 * of their last one. CTAs of a wave need the same rows of A and of B. Synchronised, the first that loads them brings
 * them to L2 and the others find them there; otherwise CTAs drift apart by whole tiles.
 *
 * <p>Only the time depends on it. A CTA polls so often, then goes on and never waits again, so that CTAs which other
 * work on the GPU keeps from starting hold up nobody for long. The scratch tensor "pace" of one integer is 0 before the
 * launch and 0 again after it.
 *
 * @param counter how often CTAs have come near the end of a tile
 * @param waves tiles that every CTA has; the last ones, which only some have, are not waited for
 * @param wave the number of this CTA's present tile
 * @param patience how many polls are left
 */
public record WaveSynchronisedTiles(PersistentTiles tiles, Element counter, I32 waves, I32.Variable wave,
    I32.Variable patience) implements TileScheduler {
  private static final String COUNTER = "pace";
  /** Steps before the end of a tile that count as its end: others may be so late without anyone waiting. */
  private static final int LAST_STEPS = 16;
  private static final int MOST_POLLS = 1000;

  /** Declares the counter. */
  public static WaveSynchronisedTiles of(PersistentTiles tiles) {
    var k = tiles.grid().cluster().k();
    var counter = k.global(TensorSpec.of(COUNTER, ElementType.I32, "one").contiguous("one")).at(k.constant(0));
    return new WaveSynchronisedTiles(tiles, counter, tiles.perCluster(),
        k.variable(k.constant(0), Integer.MAX_VALUE), k.variable(k.constant(MOST_POLLS), MOST_POLLS));
  }

  /** The memory that a launch needs. */
  public static List<PreparedLaunch.Scratch> scratch() {
    return List.of(new PreparedLaunch.Scratch(COUNTER, ElementType.I32, Layout.of(1, 1)));
  }

  @Override
  public void forEach(Consumer<WorkTile> body) {
    tiles.forEach(body);
  }

  @Override
  public void forEachOf(OrderedSequence.Turn turn, Consumer<WorkTile> body) {
    tiles.forEachOf(turn, body);
  }

  @Override
  public void forEachLoad(Consumer<WorkTile> body) {
    tiles.forEach(tile -> {
      var steps = tile.k().steps();
      var most = steps.minus(k().constant(LAST_STEPS)).max(0);
      await();
      body.accept(tile.over(new WorkTile.KRange(tile.k().first(), most)));
      arrive();
      body.accept(tile.over(new WorkTile.KRange(tile.k().first().plus(most), steps.minus(most))));
    });
  }

  private Scope k() {
    return tiles.grid().cluster().k();
  }

  /** Waits for the other CTAs, before a tile is loaded. */
  private void await() {
    var others = k().gridX().times(wave.value());
    k().when(wave.value().lessThan(waves), () -> k().repeatUntil(() -> {
      patience.set(patience.value().plus(-1).max(0));
      return others.plus(-1).lessThan(counter.present()).or(patience.value().equalTo(0));
    }));
    patience.set(k().constant(MOST_POLLS).where(patience.value().atLeast(1), 0));
  }

  /** Says that the CTA has come near the end of a tile. The last arrival of all leaves zero. */
  private void arrive() {
    k().when(wave.value().lessThan(waves), () -> counter.drawNext(k().gridX().times(waves)));
    wave.set(wave.value().plus(1));
  }
}
