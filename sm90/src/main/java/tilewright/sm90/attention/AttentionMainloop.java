package tilewright.sm90.attention;

import java.util.List;
import java.util.Optional;
import tilewright.async.atom.Warpgroup;
import tilewright.async.collective.Pipeline;
import tilewright.async.collective.TensorTile;
import tilewright.kernel.F32;
import tilewright.kernel.I32;
import tilewright.kernel.Scope;
import tilewright.kernel.SharedTensor;
import tilewright.kernel.atom.Shuffle;
import tilewright.kernel.collective.attention.Anticipation;
import tilewright.kernel.collective.attention.AttentionTiles;
import tilewright.kernel.collective.attention.FragmentRows;
import tilewright.kernel.collective.attention.Modification;
import tilewright.kernel.collective.attention.OnlineSoftmax;
import tilewright.kernel.collective.attention.ScoreMask;
import tilewright.kernel.collective.attention.Sinks;
import tilewright.kernel.tiled.Fragment;
import tilewright.kernels.attention.AttentionSpecs;
import tilewright.ptx.Operand;
import tilewright.ptx.PtxType;
import tilewright.sm90.atom.RegisterOperand;
import tilewright.sm90.atom.WgmmaAtom;
import tilewright.sm90.collective.RegisterWgmma;
import tilewright.sm90.collective.TiledWgmma;

/**
 * The main loop of a warpgroup for its 64 queries of each tile: block by block, the last one first, S = Q·Kᵀ, its
 * softmax, and O += P·V. A block's S is computed while the P of the block before is multiplied with V
 * (FlashAttention-3, algorithm 2).
 */
final class AttentionMainloop {
  private static final int QUAD = 4;
  /** P = 2^8 for a row's largest score: e4m3 reaches to 448 (FlashAttention-3 and 4, {@code max_offset}). */
  private static final float OFFSET_OF_BYTES = 8;
  private static final float LARGEST_OF_BYTES = 448;

  private final Scope k;
  private final Sm90AttentionConfig config;
  private final VisitedBlocks blocks;
  private final TensorTile q;
  private final TensorTile key;
  private final SharedTensor value;
  private final Pipeline.Cursor queries;
  private final Pipeline.Cursor keys;
  private final Pipeline.Cursor values;
  private final Pipeline.Cursor valuesRead;
  private final I32 lane;
  private final I32 group;
  private final NamedBarrierSequence turns;
  private final TiledWgmma qk;
  private final RegisterWgmma pv;
  private final RegisterOperand operand;
  private final FragmentRows rowsOfScores;
  private final FragmentRows rowsOfOutput;
  private final ScoreFactors factors;
  private final ValueFactors valueFactors;
  private final Fragment scores;
  private final List<List<Operand.Register>> probabilities;
  private final OutputSums output;
  private final Optional<Sinks> sinks;

  AttentionMainloop(Scope k, Sm90AttentionConfig config, VisitedBlocks blocks, TensorTile q, TensorTile key,
      SharedTensor value, Pipeline queries, Pipeline keys, Pipeline values, I32 lane, I32 group) {
    this.k = k;
    this.config = config;
    this.blocks = blocks;
    this.q = q;
    this.key = key;
    this.value = value;
    this.queries = queries.consumer();
    this.keys = keys.consumer();
    this.values = values.consumer();
    this.valuesRead = values.consumer();
    this.lane = lane;
    this.group = group;
    var shape = config.shape();
    turns = new NamedBarrierSequence(k, shape.consumers() + 1, group, shape.turns() ? shape.consumers() : 1);
    qk = TiledWgmma.of(config.type(), config.layoutQ(), config.layoutOfOperandK(), 1);
    pv = RegisterWgmma.of(config.probabilities(), config.type(), config.layoutOfOperandV());
    var atomOfScores = config.atomOfScores();
    operand = RegisterOperand.permuted(atomOfScores, config.keysOfScores(), pv.atom());
    operand.requireOrder(config.orderOfKeys());
    rowsOfScores = FragmentRows.of(atomOfScores.partition(config.keysOfScores()));
    rowsOfOutput = FragmentRows.of(config.partitionOfOutput());
    factors = ScoreFactors.of(k, config, rowsOfScores, lane, group);
    valueFactors = ValueFactors.of(k, config);
    scores = Fragment.of(k, PtxType.F32, atomOfScores.registers() / QUAD, QUAD);
    probabilities = operand.registers(k);
    output = output();
    sinks = config.sinks() ? Optional.of(new Sinks(k, k.global(AttentionSpecs.sinks()), config.packing()))
        : Optional.empty();
  }

  private OutputSums output() {
    if (config.promotes()) return OutputSums.Promoted.of(k, rowsOfOutput, pv.accumulators(k), pv.accumulators(k));
    var rows = config.shape().anticipates() ? FragmentRows.of(pv.atom().partition()) : rowsOfOutput;
    var sums = new OutputSums.Fast(k, rows, config.rescalesSeldom(), pv.accumulators(k));
    return config.shape().anticipates() ? OutputSums.WithRowSums.of(k, sums, config.shape().valueDim()) : sums;
  }

  /** The rows of O. */
  FragmentRows rows() {
    return rowsOfOutput;
  }

  /**
   * Computes all tiles. Between two tiles, the last P·V of one and the first S of the next run together, while the
   * first is stored.
   */
  void run(DynamicTileScheduler.Taker taker, AttentionTiles tiles, AttentionEpilogue epilogue) {
    var softmax = softmax();
    var first = taker.take();
    taker.set(first);
    turns.begin();
    k.when(taker.exists(first), () -> {
      factors.read(() -> tiles.tile(first));
      firstScores();
      WgmmaAtom.waitFor(k, 0);
      firstProbabilities(softmax, tiles.tile(first));
      k.repeatUntil(() -> {
        var tile = tiles.tile(taker.present());
        nextBlocks(softmax, tile);
        var next = taker.take();
        var exists = taker.exists(next);
        k.when(exists, () -> {
          factors.read(() -> tiles.tile(next));
          betweenTiles(softmax, tile, epilogue);
          firstProbabilities(softmax, tiles.tile(next));
        }, () -> {
          issueOutput();
          finish(softmax, tile, epilogue, 0, () -> {});
        });
        taker.set(next);
        return exists.not();
      });
    });
    epilogue.drain();
  }

  /** Three warpgroups that mask have no registers for a reference of each block's own. */
  private OnlineSoftmax softmax() {
    if (config.quantized().isPresent()) {
      return config.rescalesSeldom() ? OnlineSoftmax.lazy(k, rowsOfScores, factors::ofSoftmax, 0, OFFSET_OF_BYTES)
          : OnlineSoftmax.of(k, rowsOfScores, factors::ofSoftmax, OFFSET_OF_BYTES);
    }
    var scale = factors.ofSoftmax().getFirst();
    return config.shape().consumers() > 2 && !config.band().isAll() ? OnlineSoftmax.lazy(k, rowsOfScores, scale, 0)
        : OnlineSoftmax.of(k, rowsOfScores, scale);
  }

  /** The blocks of a tile behind its first. */
  private void nextBlocks(OnlineSoftmax softmax, AttentionTiles.Tile tile) {
    blocks.of(tile).others(k, (place, masked) -> nextBlock(softmax, tile, place, masked));
    if (config.shape().columns() > 0) queries.releaseAndAdvance(lane);
  }

  /** The last P·V of a tile and its epilogue, beside the next tile's first S. */
  private void betweenTiles(OnlineSoftmax softmax, AttentionTiles.Tile tile, AttentionEpilogue epilogue) {
    issueOutput();
    if (config.shape().ahead() > 1) {
      firstScores();
      finish(softmax, tile, epilogue, 1, () -> valuesRead.releaseAndAdvance(lane));
    } else {
      finish(softmax, tile, epilogue, 0, () -> valuesRead.releaseAndAdvance(lane));
      if (config.shape().columns() == 0) {
        epilogue.drain();
        queries.releaseAndAdvance(lane);
      }
      firstScores();
    }
    WgmmaAtom.waitFor(k, 0);
    softmax.restart();
  }

  /** Waits for the last P·V, beside which this number of other MMAs may be under way, and stores the tile. */
  private void finish(OnlineSoftmax softmax, AttentionTiles.Tile tile, AttentionEpilogue epilogue, int others,
      Runnable release) {
    var sums = softmax.finish();
    var logits = sinks.map(s -> s.of(tile.head(), firstRow(tile), lane, rowsOfScores));
    var factor = valueFactors.ofOutput(tile);
    factor.ifPresent(F32::register);
    WgmmaAtom.waitFor(k, others);
    release.run();
    var all = logits.map(of -> of.addTo(sums)).orElse(sums);
    epilogue.store(output.finish(), output.totals(sums, all), factor, tile);
  }

  /** The first of the warpgroup's rows of a tile. */
  private I32 firstRow(AttentionTiles.Tile tile) {
    return config.packing().rows(tile.query()).plus(group.times(WgmmaAtom.M));
  }

  private void firstScores() {
    queries.awaitFull();
    keys.awaitFull();
    issueScores();
  }

  /** Computes P of a tile's first block. */
  private void firstProbabilities(OnlineSoftmax softmax, AttentionTiles.Tile tile) {
    var block = releaseKeys(tile, k.constant(0));
    factors.settle();
    factors.read(tile, block);
    valueFactors.begin(tile, block);
    var all = scoresOf(tile, block, true);
    var weights = config.shape().anticipates() ? anticipation(softmax).first(all, scores)
        : softmax.next(all).weights();
    values.awaitFull();
    operand.round(k, weights, probabilities);
    output.begin();
  }

  /** A block behind the first, as in lines 8 to 15 of algorithm 2. */
  private void nextBlock(OnlineSoftmax softmax, AttentionTiles.Tile tile, I32 place, boolean masked) {
    // 1. S = Q·Kᵀ of this block and O += P·V of the one before, under one fence: their registers are untouched since.
    keys.awaitFull();
    turns.await();
    issueScores();
    multiply();
    turns.pass();
    // 2. S is complete: release K.
    WgmmaAtom.waitFor(k, 1);
    var block = releaseKeys(tile, place);
    factors.read(tile, block);
    // 3. The softmax of S, while P·V is under way.
    var all = scoresOf(tile, block, masked);
    if (config.shape().anticipates()) {
      anticipated(softmax, all);
      return;
    }
    var step = softmax.next(all);
    // 4. P·V is complete: release V.
    finishProduct();
    // 5. P in the operands' type, and O rescaled to the new maximum.
    operand.round(k, step.weights(), probabilities);
    output.next(softmax, new OnlineSoftmax.Step(step.weights(), valueFactors.next(tile, block, step.factors())));
  }

  /** Steps 3 to 5 with the references of the blocks before. */
  private void anticipated(OnlineSoftmax softmax, List<F32> all) {
    var groups = operand.accumulators();
    var places = probabilities.stream().flatMap(List::stream).toList();
    boolean beside = config.roundsBeside();
    var rounded = beside ? places.stream().map(_ -> k.newRegister(PtxType.B32)).toList() : places;
    if (!beside) finishProduct();
    var anticipation = anticipation(softmax);
    var attempt = anticipation.attempt(all, groups, (number, weights) ->
        operand.round(k, weights, rounded.get(number)));
    if (beside) finishProduct();
    k.when(attempt.exceeds(), () -> {
      var step = anticipation.settle(attempt, all, scores);
      for (int number = 0; number < groups.size(); number++) {
        operand.round(k, groups.get(number).stream().map(step.weights()::get).toList(), rounded.get(number));
      }
      output.next(softmax, step);
    }, () -> anticipation.accept(attempt));
    if (!beside) return;
    for (int i = 0; i < places.size(); i++) k.emit("mov.b32", places.get(i), rounded.get(i));
  }

  private Anticipation anticipation(OnlineSoftmax softmax) {
    return new Anticipation(k, rowsOfScores, softmax, LARGEST_OF_BYTES);
  }

  /** Waits for P·V and releases V. The wait for the next V keeps the assembler from moving the softmax behind this. */
  private void finishProduct() {
    values.awaitFull();
    WgmmaAtom.waitFor(k, 0);
    valuesRead.releaseAndAdvance(lane);
    output.complete();
  }

  /** Releases the keys at a place, which have become scores, and returns the number of their block. */
  private I32 releaseKeys(AttentionTiles.Tile tile, I32 place) {
    var releasing = lane.modulo(config.releasing());
    var block = blocks.block(tile, place, keys.stage(), releasing).settled();
    keys.releaseAndAdvance(releasing);
    return block;
  }

  private void issueScores() {
    WgmmaAtom.fence(k);
    var own = queries.stage().times(config.shape().consumers()).plus(group);
    var operandK = key.shared().as(config.layoutOfOperandK());
    qk.issue(k, k.constant(0), q.shared(), own, operandK, keys.stage(), scores, false);
    WgmmaAtom.commit(k);
  }

  private void issueOutput() {
    WgmmaAtom.fence(k);
    multiply();
  }

  private void multiply() {
    pv.issue(k, probabilities, value, values.stage(), output.accumulators(), output.accumulates());
    WgmmaAtom.commit(k);
    values.advance();
  }

  /** The scores of a block, changed and masked. */
  private List<F32> scoresOf(AttentionTiles.Tile tile, I32 block, boolean masked) {
    var modification = config.modification();
    boolean whole = config.blockMask() && !masked;
    var packing = config.packing();
    var row = firstRow(tile);
    var key = tile.sequence().firstKeyOf(block, config.shape().keys());
    var place = new Modification.Place(tile.batch(), tile.head(), row, key, packing).in(tile.sequence(), !masked);
    var here = config.placesAnew() ? Shuffle.own(k, lane, Warpgroup.SIZE - 1) : lane;
    var all = modification.apply(k, here, rowsOfScores, factors.ofFunction(), place, whole,
        rowsOfScores.values(k, scores));
    return masked ? new ScoreMask(config.band(), tile.sequence(), rowsOfScores).apply(k, here, place, all) : all;
  }
}
