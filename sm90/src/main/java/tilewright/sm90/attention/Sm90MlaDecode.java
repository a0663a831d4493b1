package tilewright.sm90.attention;

import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.IntConsumer;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import tilewright.async.atom.Mbarrier;
import tilewright.async.atom.RegisterBudget;
import tilewright.async.atom.Warpgroup;
import tilewright.async.collective.Pipeline;
import tilewright.kernel.GlobalTensor;
import tilewright.kernel.I32;
import tilewright.kernel.Kernel;
import tilewright.kernel.Scope;
import tilewright.kernel.atom.DependentLaunch;
import tilewright.kernel.atom.Shuffle;
import tilewright.kernel.collective.attention.AttentionTileScheduler;
import tilewright.kernel.collective.attention.AttentionTiles;
import tilewright.kernel.collective.attention.BalancedSplits;
import tilewright.kernel.collective.attention.SeqlenInfo;
import tilewright.kernel.collective.attention.SplitKeys;
import tilewright.kernel.collective.attention.Statistics;
import tilewright.kernels.attention.AttentionSpecs;
import tilewright.kernels.attention.merging.ResultRows;
import tilewright.kernels.attention.merging.Splitting;
import tilewright.sm90.atom.WgmmaAtom;

/**
 * O = softmax(scale · Q·Kᵀ)·V of few queries where V is the first columns of K and all heads read the same row of it
 * (multi-head latent attention, absorbed; DeepSeek-V2), on SM90.
 *
 * <p>A CTA has 64 rows, the heads of some queries, and a split of the keys. One warpgroup has blocks of K copied, or
 * gathers the rows that a query has chosen. They are loaded once and multiplied twice: by Q along the columns, and by P
 * along the keys. Two other warpgroups share the columns of O, of which none has registers for all (FlashMLA;
 * FlashAttention-3, {@code MmaPV} of wide V).
 */
record Sm90MlaDecode(MlaConfig config) implements Kernel {
  @Override
  public String name() {
    return "sm90_mla_decode_" + config.type().text() + "_d" + config.headDim() + "_" + config.valueDim();
  }

  @Override
  public void trace(Scope k) {
    var thread = k.block(config.threads());
    k.blocksPerMultiprocessor(1);
    // Shared memory: P takes the place of the rotary part of K, and V is the other parts.
    var q = LatentTile.ofQueries(k, config);
    var keys = LatentKeys.of(k, config);
    var p = keys.parts().get(MlaConfig.CONSUMERS);
    var statistics = RowStatistics.of(k);
    // Global memory
    var results = ResultRows.of(k, config.packing(), config.splits(), config.o(), config.valueDim(),
        config.lse() ? Statistics.LOGARITHMS : Statistics.NONE, false);
    var tiles = tiles(k, q);
    // A grid has a CTA even where there are no tiles.
    k.leave(tiles.order().count().lessThan(1));
    // Barriers
    var first = thread.equalTo(0);
    boolean balanced = config.splits() == Splitting.BALANCED;
    // Only of several tiles the next one's queries wait for those of the tile before.
    var queries = Pipeline.ring(k, 1, first, 1, balanced ? MlaConfig.CONSUMERS : 0);
    var rings = IntStream.range(0, MlaConfig.STAGES).mapToObj(_ -> new Rings(
        Pipeline.ring(k, 1, first, config.fills(), MlaConfig.CONSUMERS), Pipeline.ring(k, 1, first, config.fills(), 0),
        Pipeline.ring(k, 1, first, Warpgroup.WARPS, 0))).toList();
    k.when(first, () -> Mbarrier.publish(k));
    k.barrier();

    var lane = thread.modulo(Warpgroup.SIZE);
    var group = Shuffle.first(k, thread.dividedBy(Warpgroup.SIZE), MlaConfig.CONSUMERS);
    if (config.splits().merges()) DependentLaunch.allowNext(k);
    if (balanced) DependentLaunch.awaitPrevious(k);
    // Computed where it is used: numbers that all roles share would take registers of each.
    Supplier<AttentionTiles.Tile> only = () -> tiles.tile(k.blockX().settled());
    var shares = balanced ? Optional.of(BalancedSplits.atLaunch(k)) : Optional.<BalancedSplits>empty();
    Consumer<Consumer<Supplier<AttentionTiles.Tile>>> forEachTile = body -> shares.ifPresentOrElse(
        of -> tiles.persistent(of, k.blockX().settled(), body), () -> body.accept(only));
    Runnable roles = () -> k.when(group.equalTo(MlaConfig.CONSUMERS), () -> {
      RegisterBudget.shrink(k, config.producerRegisters());
      keys.copy(new MlaQueries(k, config, q, queries.producer()), rings.stream().map(Rings::producer).toList(), lane,
          forEachTile);
    }, () -> {
      RegisterBudget.grow(k, config.consumerRegisters());
      IntConsumer mainloop = part -> {
        var consumer = new MlaMainloop(k, config, part, q.shared(), keys.parts(), p, statistics, queries.consumer(),
            rings.stream().map(Rings::consumer).toList(), keys.tokens(), lane);
        consumer.begin();
        forEachTile.accept(tile -> consumer.run(tile, results));
      };
      k.when(group.equalTo(0), () -> mainloop.accept(0), () -> mainloop.accept(1));
    });
    if (balanced) roles.run();
    else results.whereNeeded(k, thread, only.get(), WgmmaAtom.M, roles);
  }

  /** The rings of a stage of K. */
  private record Rings(Pipeline keys, Pipeline others, Pipeline probabilities) {
    MlaMainloop.Block producer() {
      var place = keys.producer();
      return new MlaMainloop.Block(place, others.producer(place), probabilities.producer(place));
    }

    MlaMainloop.Block consumer() {
      var place = keys.consumer();
      return new MlaMainloop.Block(place, others.consumer(place), probabilities.consumer(place));
    }
  }

  /** Tiles of queries and splits of the keys, packs of heads side by side: they read the same keys. */
  private AttentionTiles tiles(Scope k, LatentTile q) {
    int batchOfQ = config.packing().packs() ? 4 : 3;
    var queries = config.tensors().queries(q.parts().getFirst());
    var rows = queries.ceilDiv(config.queries());
    var packs = q.parts().getFirst().extent(batchOfQ - 1);
    var splits = config.splits() == Splitting.EVEN ? Optional.of(SplitKeys.atLaunch(rows))
        : Optional.<SplitKeys>empty();
    var order = new AttentionTileScheduler(splits.map(SplitKeys::slots).orElse(rows), packs,
        q.parts().getFirst().extent(batchOfQ), packs, false);
    var room = rows.parameter(Sm90AttentionKernel.ROOM);
    var lengths = config.lengths() ? Optional.of(k.global(AttentionSpecs.keyLengths()))
        : Optional.<GlobalTensor>empty();
    return new AttentionTiles(config.band(), order, k.constant(config.packing().heads()),
        entry -> sequence(queries, room, lengths, entry), config.queries(), MlaConfig.KEYS, config.packing(), splits);
  }

  private static SeqlenInfo sequence(I32 queries, I32 room, Optional<GlobalTensor> lengths, I32 entry) {
    var first = entry.times(room);
    return lengths.map(of -> SeqlenInfo.used(queries, first, room, of, Optional.empty(), entry))
        .orElseGet(() -> new SeqlenInfo(queries.constant(0), queries, first, room));
  }
}
