package tilewright.sm90.attention;

import java.util.Optional;
import java.util.function.Function;
import tilewright.async.atom.BulkCopy;
import tilewright.async.atom.Mbarrier;
import tilewright.async.atom.RegisterBudget;
import tilewright.async.atom.Warpgroup;
import tilewright.async.collective.Pipeline;
import tilewright.async.collective.TensorTile;
import tilewright.kernel.GlobalTensor;
import tilewright.kernel.I32;
import tilewright.kernel.Kernel;
import tilewright.kernel.Pred;
import tilewright.kernel.Scope;
import tilewright.kernel.SharedTensor;
import tilewright.kernel.TensorSpec;
import tilewright.kernel.Warp;
import tilewright.kernel.atom.DependentLaunch;
import tilewright.kernel.atom.Shuffle;
import tilewright.kernel.collective.attention.AttentionTileScheduler;
import tilewright.kernel.collective.attention.AttentionTiles;
import tilewright.kernel.collective.attention.PackedTiles;
import tilewright.kernel.collective.attention.SeqlenInfo;
import tilewright.kernel.collective.attention.SplitKeys;
import tilewright.kernel.collective.attention.Statistics;
import tilewright.kernel.collective.attention.StoredTotals;
import tilewright.kernels.attention.AttentionSpecs;
import tilewright.kernels.attention.ValueOrder;
import tilewright.kernels.attention.merging.SplitStates;
import tilewright.sm90.attention.DynamicTileScheduler.Slots;

/**
 * O = softmax(scale · Q·Kᵀ)·V and the logarithms of the rows' sums, on SM90 (FlashAttention-3, algorithms 1 and 2).
 *
 * <p>One warpgroup has blocks of K and V copied into two rings. The others have 64 queries each: Q·Kᵀ → registers →
 * softmax → registers → ·V, while the tensor cores are busy with the next block. CTAs stay and go from tile to tile.
 */
public record Sm90Attention(Sm90AttentionConfig config) implements Kernel {
  @Override
  public String name() {
    return "sm90_attention_" + config.type().text() + "_d" + config.shape().headDim();
  }

  @Override
  public void trace(Scope k) {
    var shape = config.shape();
    var thread = k.block(shape.threads());
    k.blocksPerMultiprocessor(1);
    var q = rows(k, config.tensors().q(), k.shared(config.type(), config.layoutQ()));
    int part = config.partOfBlock();
    var key = TensorTile.inParts(k, config.tensors().k(), config.layoutK(), 0, part);
    var value = TensorTile.inParts(k, config.tensors().v(), config.layoutV(), 1, part);
    var pages = config.pages().map(p -> PagedKeys.of(k, p.rows(), part, config.pagesTogether()));
    var o = config.split() ? Optional.<TensorTile>empty() : Optional.of(rows(k, config.tensors().o(),
        shape.columns() > 0 ? k.shared(config.output(), config.layoutO()) : q.shared()));
    var stored = StoredTotals.of(k, AttentionSpecs.statistics(config.split() ? Statistics.NONE : config.statistics()));
    var states = config.split() ? Optional.of(SplitStates.of(k, config.packing(),
        config.statistics() == Statistics.MAXIMA_AND_SUMS)) : Optional.<SplitStates>empty();
    int consuming = shape.consumers() * Warpgroup.SIZE;
    var first = thread.equalTo(0);
    var queries = Pipeline.ring(k, shape.ahead(), first, 1, shape.consumers());
    var keys = Pipeline.ring(k, shape.stages(), first, 1, consuming / config.releasing());
    int transposing = config.transposesValues() ? Sm90AttentionConfig.TRANSPOSING : 0;
    var operandV = transposing > 0 ? k.shared(config.type(), config.layoutOfOperandV()) : value.shared();
    var values = Pipeline.ring(k, shape.stages(), first, Math.max(1, transposing), shape.consumers());
    var copiesOfV = transposing > 0 ? Pipeline.ring(k, shape.stages(), first, 1, transposing) : values;
    var cuQ = config.packed() ? Optional.of(k.global(AttentionSpecs.lengths("cuQ"))) : Optional.<GlobalTensor>empty();
    var packed = cuQ.map(lengths -> new PackedTiles(lengths, config.queries()));
    var tiles = packed.map(p -> tiles(k, q, key, p)).orElseGet(() -> tiles(k, q, key, pages));
    var queue = DynamicTileScheduler.of(k, first, consuming / Warp.SIZE + transposing, tiles.order(),
        slots(k, tiles, packed, states));
    var blocks = VisitedBlocks.of(k, config);
    if (shape.anticipates()) storeOnes(k, operandV, thread);
    k.when(first, () -> Mbarrier.publish(k));
    k.barrier();

    var lane = thread.modulo(Warpgroup.SIZE);
    var group = Shuffle.first(k, thread.dividedBy(Warpgroup.SIZE), shape.consumers());
    if (config.split()) DependentLaunch.allowNext(k);
    k.when(group.equalTo(shape.consumers()), () -> {
      RegisterBudget.shrink(k, config.producerRegisters());
      if (config.producerComputesAnew()) k.computeLaunchValuesAnew();
      k.when(lane.equalTo(0), () -> {
        var producer = new AttentionProducer(k, config, blocks, pages, q, key, value, queries.producer(),
            keys.producer(), copiesOfV.producer());
        queue.produce(tile -> producer.copy(tiles.tile(tile)));
      });
      if (transposing > 0) {
        int before = Warpgroup.SIZE - transposing * Warp.SIZE;
        k.when(lane.atLeast(before), () -> {
          var ofWarp = lane.modulo(Warp.SIZE);
          new ValueTranspose(k, blocks, config.transpose(), value.shared(), copiesOfV.consumer(),
              operandV.under(config.layoutOfTransposedV()), values.producer(), ofWarp,
              lane.plus(-before).dividedBy(Warp.SIZE)).run(queue.taker(ofWarp), tiles);
        });
      }
    }, () -> {
      RegisterBudget.grow(k, config.consumerRegisters());
      if (config.consumersComputeAnew()) k.computeLaunchValuesAnew();
      var mainloop = new AttentionMainloop(k, config, blocks, q, key, operandV, queries, keys, values, lane, group);
      var output = states.<AttentionEpilogue>map(s -> new PartialEpilogue(k, s, mainloop.rows(), lane, group))
          .orElseGet(() -> new StagedEpilogue(k, o.orElseThrow(), shape.columns() > 0, config.coordinates(k), stored,
              mainloop.rows(), lane, group, config.lengths(), config.placesAnew(), config.storesLate()));
      mainloop.run(queue.taker(lane.modulo(Warp.SIZE)), tiles, output);
    });
  }

  /** Stores the columns of ones behind V's, in each stage. */
  private void storeOnes(Scope k, SharedTensor operand, I32 thread) {
    var shape = config.shape();
    int ones = config.columnsOfOperandV() - shape.valueDim();
    k.loop(thread, k.constant(ones * shape.keys() * shape.stages()), shape.threads(), number -> {
      var key = number.dividedBy(ones);
      operand.at(number.modulo(ones).plus(shape.valueDim()), key.modulo(shape.keys()), key.dividedBy(shape.keys()))
          .store(k.constant(1f));
    });
    BulkCopy.publish(k);
  }

  private AttentionTiles tiles(Scope k, TensorTile q, TensorTile key, Optional<PagedKeys> pages) {
    var queries = config.tensors().queries(q);
    var rows = queries.ceilDiv(config.queries());
    if (!config.scatters()) {
      var sequence = SeqlenInfo.fixed(queries, key.extent(0));
      return tiles(q, key, rows, key.extent(3), (I32 _) -> sequence);
    }
    var room = rows.parameter(Sm90AttentionKernel.ROOM);
    if (!config.lengths()) {
      var sequence = SeqlenInfo.fixed(queries, room);
      return tiles(q, key, rows, pages.orElseThrow().table().extent(1), (I32 _) -> sequence);
    }
    var lengths = k.global(AttentionSpecs.keyLengths());
    var padding = config.padded() ? Optional.of(k.global(AttentionSpecs.keyPadding())) : Optional.<GlobalTensor>empty();
    return tiles(q, key, rows, lengths.extent(0), entry -> SeqlenInfo.used(queries, entry.times(room), room,
        lengths, padding, entry));
  }

  private AttentionTiles tiles(Scope k, TensorTile q, TensorTile key, PackedTiles packed) {
    var cuK = k.global(AttentionSpecs.lengths("cuK"));
    return tiles(q, key, packed.slots(), k.constant(1), entry -> {
      var sequence = SeqlenInfo.packed(packed.lengths(), cuK, entry);
      return config.values() == ValueOrder.ROW_MAJOR ? sequence
          : sequence.withBlocksAt(AttentionSpecs.neighbours(config.type()));
    });
  }

  private AttentionTiles tiles(TensorTile q, TensorTile key, I32 rows, I32 batch, Function<I32, SeqlenInfo> sequences) {
    var packing = config.packing();
    boolean apart = packing.heads() == 1;
    var heads = apart ? q.extent(2) : key.extent(2);
    var sharers = apart ? q.extent(2).dividedBy(key.extent(2)) : heads.constant(packing.heads());
    boolean diagonal = config.band().right().isPresent();
    boolean grouped = diagonal && !config.split();
    // Of splits, all heads: where a cache has them side by side, neighbours in memory are read at a time.
    var together = grouped ? rows.parameter(AttentionTileScheduler.HEADS_TOGETHER)
        : config.split() ? heads : rows.constant(1);
    var beforeLast = grouped ? Optional.of(rows.parameter(AttentionTileScheduler.HEADS_BEFORE_LAST))
        : Optional.<I32>empty();
    var splits = config.split() ? Optional.of(SplitKeys.atLaunch(rows)) : Optional.<SplitKeys>empty();
    var order = new AttentionTileScheduler(splits.map(SplitKeys::slots).orElse(rows), heads, batch, together,
        beforeLast, diagonal);
    return new AttentionTiles(config.band(), order, sharers, sequences, config.queries(), config.shape().keys(),
        packing, splits);
  }

  private Slots slots(Scope k, AttentionTiles tiles, Optional<PackedTiles> packed, Optional<SplitStates> states) {
    if (packed.isPresent()) return new PackedSlots(k, packed.get());
    return states.<Slots>map(s -> new SplitSlots(tiles, s, config.shape().rows())).orElse(Slots.ALL);
  }

  /** The tiles of sequences of different lengths. */
  private record PackedSlots(Scope k, PackedTiles tiles) implements Slots {
    @Override
    public AttentionTileScheduler.Tile tile(AttentionTileScheduler.Tile place) {
      return tiles.tile(k, place);
    }

    @Override
    public Pred exists(AttentionTileScheduler.Tile tile) {
      return tiles.exists(tile);
    }
  }

  /** The splits of tiles, of which those without keys are nobody's work. */
  private record SplitSlots(AttentionTiles tiles, SplitStates states, int rows) implements Slots {
    @Override
    public Pred exists(AttentionTileScheduler.Tile tile) {
      return tiles.tile(tile).blocks().any();
    }

    @Override
    public void pass(AttentionTileScheduler.Tile empty) {
      states.leaveEmpty(tiles.tile(empty), rows);
    }
  }

  private TensorTile rows(Scope k, TensorSpec spec, SharedTensor tile) {
    return TensorTile.interleaved(k, spec, tile, config.packing().stride());
  }
}
