package tilewright.sm90;

import java.util.Optional;
import tilewright.async.atom.RegisterBudget;
import tilewright.async.atom.Warpgroup;
import tilewright.async.collective.ClusterTiles;
import tilewright.async.collective.Pipeline;
import tilewright.async.collective.Rotation;
import tilewright.kernel.I32;
import tilewright.kernel.Kernel;
import tilewright.kernel.Scope;
import tilewright.kernel.Warp;
import tilewright.kernel.atom.DependentLaunch;
import tilewright.kernel.atom.Shuffle;
import tilewright.kernels.Accumulation;
import tilewright.kernels.GemmTypes;
import tilewright.sm90.collective.BlockScales;
import tilewright.sm90.collective.Conversion;
import tilewright.sm90.collective.Mainloop;
import tilewright.sm90.collective.OutputForm;
import tilewright.sm90.collective.Pace;
import tilewright.sm90.collective.PartialSums;
import tilewright.sm90.collective.Promotion;
import tilewright.sm90.collective.SharedTail;
import tilewright.sm90.collective.SplitSum;
import tilewright.sm90.collective.StagedEpilogue;

/**
 * C = alpha·A·Bᵀ on SM90 tensor cores, batched. A (M,K,L), B (N,K,L), C (M,N,L): any extents, either operand
 * order, accumulated in single precision.
 *
 * <p>One warpgroup copies, the others multiply: global → TMA → swizzled shared memory, {@code stages} tiles deep
 * → {@code wgmma} → registers → global. CTAs stay and go from tile to tile.
 */
public record Sm90Gemm(Sm90GemmConfig config, OutputForm output, Grouping grouping) implements Kernel {
  public Sm90Gemm {
    if (config.weightsAhead() && grouping != Grouping.BATCH) {
      throw new IllegalArgumentException("weights cannot be copied ahead of groups: which they are is read first");
    }
    if (config.paced() && grouping != Grouping.BATCH) {
      throw new IllegalArgumentException("CTAs cannot keep in step through groups: some have fewer tiles than others");
    }
  }

  @Override
  public String name() {
    return "sm90_gemm_" + config.types().toString().replaceAll("[^a-z0-9]+", "_") + "_" + (config.aKMajor() ? "t" : "n")
        + (config.bKMajor() ? "n" : "t");
  }

  @Override
  public void trace(Scope k) {
    var thread = k.block(config.threads());
    k.blocksPerMultiprocessor(config.resident());
    var tiles = ClusterTiles.of(k, config.cluster(), config.tileM(), config.tileN(), config.band());
    var grouped = grouping.of(k, tiles);
    var lane = thread.modulo(Warpgroup.SIZE);
    var a = config.tileA(k, lane);
    var b = config.tileB(k, lane, grouping);
    var first = thread.equalTo(0);
    var mma = config.mma();
    var c = StagedEpilogue.of(k, output, config.types().output(), mma, config.consumers(), first);
    var scaled = Optional.of(config.types()).filter(types -> types.accumulation() == Accumulation.SCALED);
    var scales = scaled.map(types -> types.isMixed() ? BlockScales.ofA(k, mma, config.tileM(), config.stages())
        : BlockScales.of(k, grouping.batchOfB(), mma, config.tileM(), config.stages()));
    var mainloop = new Mainloop(k, a, b, mma, tiles, scales, config.lead());
    var rotation = Rotation.of(k, first, config.turns());
    var split = SplitSum.of(k, tiles, mma, config.consumers(), first);
    var tail = Optional.of(config.sharedTail()).filter(Boolean::booleanValue)
        .map(_ -> SharedTail.of(tiles, c.extent(0), c.extent(1), c.extent(2), mainloop.steps()));
    var partials = tail.map(_ -> PartialSums.of(k, mma, config.consumers()));
    var pace = Optional.of(config.paced()).filter(Boolean::booleanValue)
        .map(_ -> Pace.of(tiles, c.extent(0), c.extent(1), c.extent(2)));
    var ring = Pipeline.of(k, config.stages(), first, config.producers(),
        Promotion.speakers(scales, config.sharers()), tiles);
    k.when(first, () -> {
      mainloop.prefetchMaps();
      c.prefetchMap();
    });
    tiles.meet();
    if (config.weightsAhead()) DependentLaunch.readsAhead(k, config.transposed() ? "A" : "B");
    else DependentLaunch.awaitPrevious(k);

    var group = Shuffle.first(k, thread.dividedBy(Warpgroup.SIZE), config.consumers());
    k.when(group.equalTo(config.consumers()), () -> {
      RegisterBudget.shrink(k, config.producerRegisters());
      if (config.weightsAhead()) {
        copyWeightsAhead(k, lane, ring, mainloop, c);
        return;
      }
      if (config.fetched()) {
        var stage = ring.producer();
        grouped.forEach(k.constant(0), 1, c.extent(0), c.extent(1), c.extent(2),
            (m, n, batch, of) -> mainloop.fetch(stage, lane, m, n, batch, of));
        return;
      }
      k.when(lane.equalTo(0), () -> {
        var stage = ring.producer();
        tail.ifPresentOrElse(all -> all.forEach(part -> mainloop.produce(stage, part)),
            () -> grouped.forEach(k.constant(0), 1, c.extent(0), c.extent(1), c.extent(2),
                (m, n, batch, of) -> pace.ifPresentOrElse(
                    inStep -> mainloop.produce(stage, m, n, batch, of, inStep),
                    () -> mainloop.produce(stage, m, n, batch, of))));
        if (config.cluster().splits() > 1) DependentLaunch.allowNext(k);
      });
    }, () -> {
      RegisterBudget.grow(k, config.consumerRegisters());
      if (config.weightsAhead()) DependentLaunch.awaitPrevious(k);
      var turn = rotation.of(group);
      var place = mainloop.place(ring, turn);
      var conversion = scaled.filter(GemmTypes::isMixed)
          .map(types -> new Conversion(k, mainloop, types.a(), ring.consumer()));
      var exchange = split.exchange();
      tail.ifPresentOrElse(all -> all.forEach(part -> {
        var sums = mainloop.consume(place, group, lane, part.steps());
        DependentLaunch.allowNext(k);
        partials.orElseThrow().gather(all, part, lane, group, sums,
            () -> {
              c.begin(lane, group, mma, part.m(), part.n(), part.batch());
              c.store(lane, group, mma, sums, part.m(), part.n(), part.batch());
            });
      }), () -> grouped.forEach(turn.before(), turn.round(), c.extent(0), c.extent(1), c.extent(2),
          (m, n, batch, of) -> {
            exchange.begin(lane, group, () -> c.begin(lane, group, mma, m, n, batch));
            var sums = conversion.isPresent() ? conversion.get().consume(place, group, lane)
                : config.types().isPromoted() ? new Promotion(k, mainloop).consume(place.stage(), group, lane)
                : mainloop.consume(place, group, lane);
            // Earlier, the next kernel's blocks would crowd where this one left multiprocessors idle.
            if (config.cluster().splits() == 1 && !config.weightsAhead()) DependentLaunch.allowNext(k);
            exchange.gather(lane, group, sums, () -> c.store(lane, group, mma, sums, m, n, batch));
          }));
      c.drain(lane.equalTo(0));
    });
    tiles.part();
  }

  /** A thread copies weights as soon as there is room for them, another what the previous kernel may have written. */
  private void copyWeightsAhead(Scope k, I32 lane, Pipeline ring, Mainloop mainloop, StagedEpilogue c) {
    k.when(lane.equalTo(0), () -> copy(config.transposed(), ring.producer(), mainloop, c));
    k.when(lane.equalTo(Warp.SIZE), () -> {
      DependentLaunch.awaitPrevious(k);
      // A ring that fills the multiprocessor leaves no room: the next kernel's blocks follow those that end.
      DependentLaunch.allowNext(k);
      copy(!config.transposed(), ring.producer(), mainloop, c);
    });
  }

  private static void copy(boolean ofA, Pipeline.Cursor stage, Mainloop mainloop, StagedEpilogue c) {
    mainloop.tiles().forEach(c.extent(0), c.extent(1), c.extent(2), (m, n, batch) -> {
      if (ofA) mainloop.produceA(stage, m, batch);
      else mainloop.produceB(stage, n, batch);
    });
  }
}
