package tilewright.sm90;

import java.util.Optional;
import tilewright.async.atom.RegisterBudget;
import tilewright.async.atom.Warpgroup;
import tilewright.async.collective.Cluster;
import tilewright.async.collective.OrderedSequence;
import tilewright.async.collective.Pipeline;
import tilewright.async.schedule.ClusterReduction;
import tilewright.async.schedule.PersistentTiles;
import tilewright.async.schedule.SplitKTiles;
import tilewright.async.schedule.StreamKTiles;
import tilewright.async.schedule.TileGrid;
import tilewright.async.schedule.TileScheduler;
import tilewright.async.schedule.WaveSynchronisedTiles;
import tilewright.async.schedule.WorkTile;
import tilewright.kernel.GlobalTensor;
import tilewright.kernel.Kernel;
import tilewright.kernel.Pred;
import tilewright.kernel.Scope;
import tilewright.kernel.atom.DependentLaunch;
import tilewright.kernel.atom.Shuffle;
import tilewright.sm90.collective.OutputForm;
import tilewright.sm90.collective.StagedEpilogue;

/**
 * C = alpha·A·Bᵀ on SM90 tensor cores, batched. A (M,K,L), B (N,K,L), C (M,N,L): any extents, either operand order,
 * accumulated in FP32. Where the epilogue takes several products, B is (N,K,P,L), and a tile of it has rows of all.
 *
 * <p>One warpgroup loads, the others multiply: global → TMA → swizzled shared memory, {@code stages} tiles deep →
 * {@code wgmma} → registers → epilogue → global. A tile scheduler deals tiles out to CTAs that stay.
 */
public record Sm90Gemm(Sm90GemmConfig config, OutputForm output, Grouping grouping) implements Kernel {
  public Sm90Gemm {
    if (config.weightsAhead() && grouping != Grouping.BATCH) {
      throw new IllegalArgumentException("weights cannot be copied ahead of groups: which they are is read first");
    }
    if (config.waveSynchronised() && grouping != Grouping.BATCH) {
      throw new IllegalArgumentException("waves cannot be synchronised through groups: some CTAs have fewer tiles than"
          + " others");
    }
  }

  @Override
  public String name() {
    return (config.operands().aSparse() ? "sm90_sparse_gemm_" : "sm90_gemm_")
        + config.types().toString().replaceAll("[^a-z0-9]+", "_") + "_"
        + (config.operands().aKMajor() ? "t" : "n") + (config.operands().bKMajor() ? "n" : "t");
  }

  @Override
  public void trace(Scope k) {
    var thread = k.block(config.threads());
    k.blocksPerMultiprocessor(config.resident());
    var cluster = Cluster.of(k, config.cluster());
    var groups = grouping.declare(k);
    var lane = thread.modulo(Warpgroup.SIZE);
    var first = thread.equalTo(0);
    var a = config.tileA(k, lane);            // (tileM, tileK, stages), swizzled
    int products = output.epilogue().products();
    var b = config.tileB(k, lane, products, grouping);  // (tileN, tileK, stages), swizzled
    var mma = config.mma();
    var c = StagedEpilogue.of(k, output, config.types().output(), grouping.batchOfB(), mma, config.consumers(), first);
    var mainloop = config.mainloop(cluster, a, b, products, grouping);
    var range = mainloop.operands().range(config.lead());
    var sequence = OrderedSequence.of(k, first, config.turns());
    var grid = new TileGrid(cluster, config.tileM(), config.columns(products), config.band(), c.extents());
    var tiles = scheduler(grid, range, groups, first);
    var ring = Pipeline.of(k, config.stages(), first, config.variant().loading().producers(),
        mainloop.releases(config.sharers()), cluster);
    k.when(first, () -> {
      mainloop.operands().prefetchMaps();
      c.prefetchMap();
    });
    cluster.meetPublished();
    config.variant().loading().begin(k, config.transposed());

    var group = Shuffle.first(k, thread.dividedBy(Warpgroup.SIZE), config.consumers());
    k.when(group.equalTo(config.consumers()), () -> { // The last warpgroup loads.
      RegisterBudget.shrink(k, config.producerRegisters());
      config.variant().loading().run(k, lane, ring, tiles, mainloop.operands(), config.transposed());
    }, () -> { // The others multiply and store.
      RegisterBudget.grow(k, config.consumerRegisters());
      if (config.consumersComputeAnew()) k.computeLaunchValuesAnew();
      config.variant().loading().beginConsumer(k);
      var turn = sequence.of(group);
      var consumer = mainloop.consumer(ring, turn, range, group, lane);
      var fixup = tiles.fixup(lane, group);
      tiles.forEachOf(turn, tile -> fixup.complete(tile, c.of(tile, group, lane), () -> {
        var accumulators = consumer.accumulate(tile.k());
        if (config.letsNextInEarly()) DependentLaunch.allowNext(k);
        return accumulators;
      }));
      c.drain(lane.equalTo(0));
    });
  }

  private TileScheduler scheduler(TileGrid grid, WorkTile.KRange range, Optional<GlobalTensor> groups, Pred first) {
    var accumulators = config.mma().accumulators(config.consumers());
    var reduction = Optional.of(grid.cluster()).filter(cluster -> cluster.shape().splits() > 1)
        .map(cluster -> ClusterReduction.of(cluster, accumulators, first));
    var tiles = switch (config.variant().order()) {
      case PERSISTENT -> grouping.tiles(grid, range, groups);
      case WAVE_SYNCHRONISED -> WaveSynchronisedTiles.of(PersistentTiles.strided(grid, range));
      case STREAM_K -> StreamKTiles.of(grid, range.steps(), accumulators);
    };
    return reduction.<TileScheduler>map(sum -> new SplitKTiles(tiles, sum)).orElse(tiles);
  }
}
