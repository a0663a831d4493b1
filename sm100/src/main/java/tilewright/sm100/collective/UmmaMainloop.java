package tilewright.sm100.collective;

import tilewright.async.atom.Mbarrier;
import tilewright.async.collective.Pipeline;
import tilewright.async.collective.TensorTile;
import tilewright.async.schedule.WorkTile;
import tilewright.kernel.I32;
import tilewright.kernel.Scope;
import tilewright.sm100.atom.TensorMemory;
import tilewright.sm100.atom.TensorMemoryTile;

/**
 * The main loop of one tile of C: one thread of every CTA loads its tiles of A and B, one of every group multiplies
 * them (CUTLASS, MainloopSm100TmaUmmaWarpSpecialized).
 *
 * @param a tiles (M of a CTA, K, stages)
 * @param b tiles (N of a CTA, K, stages), which groups of the cluster copy for each other
 */
public record UmmaMainloop(Scope k, TensorTile a, TensorTile b, TiledUmma mma, CtaGroups groups)
    implements TensorMainloop {

  @Override
  public int columns() {
    return 0;
  }

  @Override
  public void take(TensorMemory memory) {}

  @Override
  public WorkTile.KRange range() {
    return new WorkTile.KRange(k.constant(0), steps());
  }

  @Override
  public void load(Pipeline.Cursor stage, WorkTile tile) {
    load(stage, tile, 0, (landing, step) -> {});
  }

  @Override
  public void multiply(Pipeline.Cursor stage, WorkTile tile, TensorMemoryTile sums) {
    k.loop(tile.k().steps(), step -> multiply(stage, step, sums));
  }

  /** Further copies that fill a stage. */
  interface Companion {
    void copy(Mbarrier landing, I32 step);
  }

  /** The use that one thread makes of a stage. */
  interface Stage {
    void use(I32 step);
  }

  /** @param more bytes that the companion copies to a stage of each CTA */
  void load(Pipeline.Cursor stage, WorkTile tile, int more, Companion companion) {
    k.loop(tile.k().steps(), step -> load(stage, step, tile, more, companion));
  }

  /** Loads one stage. */
  public void load(Pipeline.Cursor stage, I32 step, WorkTile tile) {
    load(stage, step, tile, 0, (landing, at) -> {});
  }

  private void load(Pipeline.Cursor stage, I32 step, WorkTile tile, int more, Companion companion) {
    // Where K is none the map has one element all the same: beside it there are zeros.
    var begin = k.constant(mma.depth()).where(a.extent(1).equalTo(0), 0);
    stage.awaitEmpty();
    k.when(groups.isFirst(),
        () -> stage.full().arriveExpecting(k.constant(groups.ctas() * (a.bytes() + b.bytes() + more))));
    var landing = groups.landing(stage.full());
    var depth = begin.plus(step.times(mma.depth()));
    a.fill(k, k.constant(0), 1, stage.stage(), groups.load(landing), tile.m(), depth, tile.batch());
    b.fill(k, groups.group(), groups.count(), stage.stage(), groups.loadForAll(landing),
        tile.n().plus(groups.member().times(mma.atom().columnsEach())), depth, tile.group());
    companion.copy(landing, step);
    stage.advance();
  }

  /** Uses every stage, and has it freed when what was issued is over. */
  void consume(Pipeline.Cursor stage, WorkTile tile, Stage use) {
    k.loop(tile.k().steps(), step -> consume(stage, step, use));
  }

  /** Multiplies one stage, and has it freed when that is over. */
  public void multiply(Pipeline.Cursor stage, I32 step, TensorMemoryTile sums) {
    consume(stage, step, at -> mma.multiply(k, sums, a.shared(), b.shared(), stage.stage(), at.atLeast(1)));
  }

  private void consume(Pipeline.Cursor stage, I32 step, Stage use) {
    stage.awaitFull();
    use.use(step);
    groups.commitToAll(stage.empty());
    stage.advance();
  }

  /** Stages that a tile of C takes; one of zeros where K is none. */
  private I32 steps() {
    return a.extent(1).ceilDiv(mma.depth()).max(1);
  }
}
