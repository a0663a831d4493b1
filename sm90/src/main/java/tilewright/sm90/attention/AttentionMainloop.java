package tilewright.sm90.attention;

import java.util.List;
import java.util.function.Consumer;
import tilewright.kernel.I32;
import tilewright.kernel.Scope;
import tilewright.kernel.collective.attention.FragmentRows;
import tilewright.kernel.collective.attention.OnlineSoftmax;
import tilewright.kernel.collective.attention.ScoreMask;
import tilewright.kernel.tiled.Fragment;
import tilewright.ptx.Operand;
import tilewright.ptx.PtxType;
import tilewright.sm90.atom.RegisterOperand;
import tilewright.sm90.atom.WgmmaAtom;
import tilewright.sm90.collective.Pipeline;
import tilewright.sm90.collective.RegisterWgmma;
import tilewright.sm90.collective.TensorTile;
import tilewright.sm90.collective.TiledWgmma;

/**
 * What a warpgroup does for its 64 queries of a tile: block by block, the last one first, scores S = Q·Kᵀ, their
 * softmax, and O += P·V, where a block's S is computed while the softmax of the block before is multiplied with V
 * (FlashAttention-3, algorithm 2).
 */
final class AttentionMainloop {
  private static final float LOG2_E = 1.44269504f;
  private static final int QUAD = 4;

  private final Scope k;
  private final Sm90AttentionConfig config;
  private final TensorTile q;
  private final TensorTile key;
  private final TensorTile value;
  private final Pipeline.Cursor queries;
  private final Pipeline.Cursor keys;
  private final Pipeline.Cursor values;
  private final Pipeline.Cursor weighed;
  private final I32 lane;
  private final I32 group;
  private final Turns turns;
  private final TiledWgmma scoring;
  private final RegisterWgmma weighing;
  private final RegisterOperand operand;
  private final FragmentRows rowsOfScores;
  private final FragmentRows rowsOfSums;
  private final Fragment scores;
  private final List<List<Operand.Register>> weights;
  private final Fragment sums;

  AttentionMainloop(Scope k, Sm90AttentionConfig config, TensorTile q, TensorTile key, TensorTile value,
      Pipeline queries, Pipeline keys, Pipeline values, I32 lane, I32 group) {
    this.k = k;
    this.config = config;
    this.q = q;
    this.key = key;
    this.value = value;
    this.queries = queries.consumer();
    this.keys = keys.consumer();
    this.values = values.consumer();
    this.weighed = values.consumer();
    this.lane = lane;
    this.group = group;
    turns = new Turns(k, config.consumers() + 1, group, config.turns() ? config.consumers() : 1);
    scoring = TiledWgmma.of(config.type(), config.layoutQ(), config.layoutK(), 1);
    weighing = RegisterWgmma.of(config.type(), config.layoutV());
    var scored = new WgmmaAtom(config.type(), config.keys());
    operand = RegisterOperand.of(scored, weighing.atom());
    rowsOfScores = FragmentRows.of(scored.partition());
    rowsOfSums = FragmentRows.of(weighing.atom().partition());
    scores = Fragment.of(k, PtxType.F32, scored.registers() / QUAD, QUAD);
    weights = operand.registers(k);
    sums = weighing.accumulators(k);
  }

  /** The rows of O. */
  FragmentRows rows() {
    return rowsOfSums;
  }

  /** O before its rows are divided by their sums. */
  Fragment sums() {
    return sums;
  }

  void begin() {
    turns.begin();
  }

  void end() {
    turns.end();
  }

  /** Computes a tile's sums. */
  List<OnlineSoftmax.Total> compute(AttentionTiles.Tile tile) {
    var softmax = OnlineSoftmax.of(k, rowsOfScores, k.scalar("scale").times(LOG2_E));
    var blocks = tile.blocks();
    sums.clear(k, PtxType.F32);
    k.when(blocks.first().lessThan(blocks.end()), () -> {
      queries.awaitFull();
      firstBlock(softmax, tile);
      var last = blocks.end().plus(-1);
      if (config.band().right().isPresent()) {
        descend(blocks.insideEnd(), last, block -> nextBlock(softmax, tile, block, true));
      }
      descend(blocks.insideFirst(), blocks.insideEnd().min(last), block -> nextBlock(softmax, tile, block, false));
      if (config.band().left().isPresent()) {
        descend(blocks.first(), blocks.insideFirst().min(last), block -> nextBlock(softmax, tile, block, true));
      }
      if (config.apart()) queries.releaseAndAdvance(lane);
      lastProduct();
    });
    return softmax.finish();
  }

  /** Gives the place of the tile's queries back, once what is to happen has happened. */
  void releaseQueries(AttentionTiles.Tile tile, Runnable before) {
    k.when(tile.blocks().first().lessThan(tile.blocks().end()), () -> {
      before.run();
      queries.releaseAndAdvance(lane);
    });
  }

  /** From the block before {@code end} down to {@code first}. */
  private void descend(I32 first, I32 end, Consumer<I32> body) {
    k.loop(first, end, 1, i -> body.accept(end.plus(first).plus(-1).minus(i)));
  }

  private void firstBlock(OnlineSoftmax softmax, AttentionTiles.Tile tile) {
    keys.awaitFull();
    issueScores();
    WgmmaAtom.waitFor(k, 0);
    keys.releaseAndAdvance(lane);
    var step = weigh(softmax, tile, tile.blocks().end().plus(-1), true);
    values.awaitFull();
    operand.round(k, step.weights(), weights);
  }

  private void nextBlock(OnlineSoftmax softmax, AttentionTiles.Tile tile, I32 block, boolean masked) {
    keys.awaitFull();
    turns.take();
    issueScores();
    issueProduct();
    turns.pass();
    WgmmaAtom.waitFor(k, 1);
    keys.releaseAndAdvance(lane);
    var step = weigh(softmax, tile, block, masked);
    // Here, so that the assembler cannot put the softmax behind the product.
    values.awaitFull();
    WgmmaAtom.waitFor(k, 0);
    weighed.releaseAndAdvance(lane);
    operand.round(k, step.weights(), weights);
    rowsOfSums.scale(k, sums, step.factors());
  }

  private void lastProduct() {
    issueProduct();
    WgmmaAtom.waitFor(k, 0);
    weighed.releaseAndAdvance(lane);
  }

  private void issueScores() {
    WgmmaAtom.fence(k);
    scoring.issue(k, k.constant(0), q.shared(), group, key.shared(), keys.stage(), scores, false);
    WgmmaAtom.commit(k);
  }

  private void issueProduct() {
    WgmmaAtom.fence(k);
    weighing.issue(k, weights, value.shared(), values.stage(), sums, true);
    WgmmaAtom.commit(k);
    values.advance();
  }

  private OnlineSoftmax.Step weigh(OnlineSoftmax softmax, AttentionTiles.Tile tile, I32 block, boolean masked) {
    var all = rowsOfScores.values(k, scores);
    if (!masked) return softmax.next(all, false);
    var mask = new ScoreMask(config.band(), tile.sequence(), rowsOfScores);
    return softmax.next(mask.apply(k, lane, tile.query().plus(group.times(WgmmaAtom.M)), block.times(config.keys()),
        all), true);
  }
}
