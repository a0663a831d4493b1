package tilewright.kernels.attention.decoding;

import java.util.Optional;
import java.util.function.Consumer;
import tilewright.kernel.GlobalTensor;
import tilewright.kernel.I32;
import tilewright.kernel.Kernel;
import tilewright.kernel.Scope;
import tilewright.kernel.SharedTensor;
import tilewright.kernel.Target;
import tilewright.kernel.Warp;
import tilewright.kernel.atom.CpAsync;
import tilewright.kernel.atom.DependentLaunch;
import tilewright.kernel.atom.Shuffle;
import tilewright.kernel.collective.attention.AttentionTileScheduler;
import tilewright.kernel.collective.attention.AttentionTiles;
import tilewright.kernel.collective.attention.BalancedSplits;
import tilewright.kernel.collective.attention.SplitKeys;
import tilewright.kernel.collective.attention.Statistics;
import tilewright.kernel.tiled.TiledCopy;
import tilewright.kernels.attention.merging.Splitting;
import tilewright.numerics.ElementType;

/**
 * O = softmax(scale · Q·Kᵀ)·V of few queries on SM80 tensor cores (FlashDecoding): Q (Sq,D,H,B), K (Sk,D,Hk,B), V
 * (Dv,Sk,Hk,B) and O (Sq,Dv,H,B).
 *
 * <p>A CTA has a tile of queries times the heads that share keys, and a split of the keys. Each group of its warps has
 * keys of its own in every block: global → {@code cp.async} → a ring in swizzled shared memory → {@code ldmatrix}, and
 * for codes a conversion → {@code mma.sync}. Groups wait for nothing but their own copies, and merge their results at
 * the end.
 */
record Sm80DecodeAttention(DecodeConfig config) implements Kernel {
  /** Elements of Q that one access moves where columns are reordered: neighbours that stay so. */
  private static final int PAIR = 2;

  @Override
  public String name() {
    return config.name();
  }

  @Override
  public void trace(Scope k) {
    var shape = config.shape();
    var thread = k.block(shape.threads());
    k.blocksPerMultiprocessor(shape.resident());
    var q = k.global(config.q());
    var cache = KeyCache.of(k, config);
    var scale = k.scalar("scale");
    var factors = config.converts() ? Optional.of(CodeFactors.of(k, config)) : Optional.<CodeFactors>empty();
    var epilogue = DecodeEpilogue.of(k, config);
    if (config.splits().merges() && k.target().capability() >= Target.SM90.capability()) DependentLaunch.allowNext(k);

    var tiles = tiles(q, cache);
    // A grid has a CTA even where there are no tiles.
    k.leave(tiles.order().count().lessThan(1));
    Consumer<AttentionTiles.Tile> compute = tile -> {
      var sharedQ = k.shared(config.type(), config.layoutOfQ());
      var member = thread.modulo(shape.threadsOfGroup());
      var group = Shuffle.first(k, thread.dividedBy(shape.threadsOfGroup()), shape.groups() - 1);
      var loop = new DecodeMainloop(k, config, cache, factors, tile, member, group);
      // Line 1: Q, and behind it the first blocks of K and V.
      copyQueries(k, thread, q, tile, sharedQ);
      loop.begin();
      // Warps that share rows read Q behind the wait for the first block.
      if (!shape.warps().shareRows()) {
        loop.awaitEarlier();
        k.barrier();
      }
      // Lines 2 to 6: S, P and O, block by block.
      var sums = loop.run(sharedQ, scale);
      var totals = factors.map(f -> f.ofOutput(tile, sums)).orElse(sums);
      // Line 7: the groups' results, in the place of K, become the tile's.
      var states = new GroupStates(k, loop.keys().under(ElementType.F32, config.layoutOfStates()),
          loop.rows().statistics(), config.statistics() == Statistics.MAXIMA_AND_SUMS, shape.groups());
      for (int first = 0; first < shape.valueDim(); first += states.columns()) {
        k.barrier();
        states.leave(member, group, loop.rows().ofOutput(), totals, loop.output(), first);
        k.barrier();
        epilogue.store(thread, tile, config.packing().rows(tile.query()), states, first);
      }
    };
    if (config.splits() == Splitting.BALANCED) {
      if (k.target().capability() >= Target.SM90.capability()) DependentLaunch.awaitPrevious(k);
      tiles.piece(BalancedSplits.atLaunch(k), k.blockX(), compute);
    } else {
      var tile = tiles.tile(k.blockX());
      epilogue.results().whereNeeded(k, thread, tile, shape.rows(), () -> compute.accept(tile));
    }
  }

  /** Tiles of queries and splits of the keys, heads side by side: neighbours in memory are read at a time. */
  private AttentionTiles tiles(GlobalTensor q, KeyCache cache) {
    var packing = config.packing();
    int queries = config.shape().rows() / packing.stride();
    var rows = q.extent(0).ceilDiv(queries);
    var heads = q.extent(2).dividedBy(packing.heads());
    var splits = config.splits() == Splitting.EVEN ? Optional.of(SplitKeys.atLaunch(rows))
        : Optional.<SplitKeys>empty();
    var order = new AttentionTileScheduler(splits.map(SplitKeys::slots).orElse(rows), heads, q.extent(3), heads,
        false);
    return new AttentionTiles(config.band(), order, q.extent(2).dividedBy(cache.heads()),
        entry -> cache.sequence(q.extent(0), entry), queries, config.shape().blockKeys(), packing, splits);
  }

  private void copyQueries(Scope k, I32 thread, GlobalTensor q, AttentionTiles.Tile tile, SharedTensor to) {
    var zero = k.constant(0);
    var shape = config.shape();
    int period = Integer.lowestOneBit(shape.dim());
    // As wide as leaves a place in the tile to each thread.
    int vector = config.converts() ? PAIR : Math.min(config.vector(), period * shape.rows() / shape.threads());
    int along = Math.min(period / vector, Warp.SIZE);
    var copy = TiledCopy.rowMajor(new CpAsync(k, vector, config.type().bytes()), shape.threads(), along);
    // Rows that stay empty lie in heads behind the packed ones, of which there may be none.
    var rows = q.from(zero, zero, tile.head(), tile.batch()).covered(3)
        .interleaved(0, 2, config.packing().stride());
    copy.copy(thread, rows.from(config.packing().rows(tile.query()), zero, zero, zero), to, zero, zero, zero);
    CpAsync.commit(k);
  }
}
