package tilewright.sm90.attention;

import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;
import tilewright.async.atom.BulkCopy;
import tilewright.async.atom.StoreMatrix;
import tilewright.async.atom.Warpgroup;
import tilewright.async.collective.Pipeline;
import tilewright.kernel.F32;
import tilewright.kernel.I32;
import tilewright.kernel.Scope;
import tilewright.kernel.SharedTensor;
import tilewright.kernel.Warp;
import tilewright.kernel.collective.attention.AttentionTiles.Tile;
import tilewright.kernel.collective.attention.FragmentRows;
import tilewright.kernel.collective.attention.Modification;
import tilewright.kernel.collective.attention.OnlineSoftmax;
import tilewright.kernel.collective.attention.ScoreMask;
import tilewright.kernel.tiled.Fragment;
import tilewright.kernels.attention.merging.ResultRows;
import tilewright.kernels.attention.merging.Splitting;
import tilewright.ptx.PtxType;
import tilewright.sm90.atom.RegisterOperand;
import tilewright.sm90.atom.WgmmaAtom;
import tilewright.sm90.attention.RowStatistics.Kind;
import tilewright.sm90.collective.TiledWgmma;

/**
 * The main loop of a warpgroup, which has S = Q·Kᵀ and P of every other block, and of all blocks its share of the
 * columns of O = P·V (FlashMLA, "seesaw" scheduling). P and the rows' statistics go through shared memory, so that one
 * warpgroup's softmax is beside the other's GEMMs.
 *
 * @param group 0 for the first of two blocks, 1 for the second
 * @param q the parts of a tile's columns, (row, column, 1); likewise {@code key}, (key, column, stage)
 * @param p (row, key, stage): the place of the rotary part of K, which nothing reads after S
 * @param queries full when Q has landed
 * @param blocks the rings of the first blocks and of the second ones, a stage each
 * @param tokens of the blocks, where some of them are none
 */
record MlaMainloop(Scope k, MlaConfig config, int group, List<SharedTensor> q, List<SharedTensor> key, SharedTensor p,
    RowStatistics statistics, Pipeline.Cursor queries, List<Block> blocks, Optional<ChosenTokens> tokens, I32 lane) {
  /** The named barriers at which the warpgroups' statistics have been read, and S is complete: both may be replaced. */
  private static final List<Integer> READ = List.of(1, 2);
  /** The named barrier at which both have left their sums. */
  private static final int SUMMED = 3;
  private static final int BOTH = MlaConfig.CONSUMERS * Warpgroup.SIZE;
  private static final int QUAD = 4;

  /**
   * The barriers of a stage.
   *
   * @param keys full when the first part of a block of K has landed, empty when both warpgroups have multiplied P·V
   * @param others full when the other parts have landed
   * @param probabilities full when P and the rows' statistics are there
   */
  record Block(Pipeline.Cursor keys, Pipeline.Cursor others, Pipeline.Cursor probabilities) {}

  /** A warpgroup's numbers of a tile. */
  private record Parts(Tile tile, OnlineSoftmax softmax, FragmentRows rows, Fragment scores, MlaOutput output) {}

  /** Lets the other warpgroup replace its statistics: nothing reads them yet. */
  void begin() {
    k.arrive(k.constant(READ.get(1 - group)), BOTH);
  }

  void run(Supplier<Tile> tiles, ResultRows results) {
    var atom = config.atomOfScores();
    var rows = FragmentRows.of(atom.partition());
    var scale = Modification.NONE.softmaxScale(k, k.scalar("scale"));
    var tile = tiles.get();
    var parts = new Parts(tile, OnlineSoftmax.lazy(k, rows, scale, 0), rows,
        Fragment.of(k, PtxType.F32, atom.registers() / QUAD, QUAD),
        MlaOutput.zero(k, config, p, key.get(group).as(config.layoutOfV()), lane, group));
    var visits = config.visits(tile);
    queries.awaitFull();
    k.loop(visits.count().plus(1).dividedBy(2), pair -> {
      var place = pair.times(2).plus(group);
      var both = pair.times(2).plus(1).lessThan(visits.count());
      Supplier<I32> block = () -> visits.block().apply(place).settled();
      if (group == 0) {
        firstBlock(parts, block);
        k.when(both, () -> {
          beginOther(parts, true);
          finish(1);
        });
      } else {
        k.when(both, () -> secondBlock(parts, block), () -> {
          // Behind the last block of the last tile nobody waits for what this warpgroup has read.
          beginOther(parts, several());
          if (several()) finish(0);
          else WgmmaAtom.waitFor(k, 0);
        });
      }
    });
    if (several()) queries.releaseAndAdvance(lane);
    var totals = parts.softmax.finish(own -> sumsOfAll(rows, own));
    var done = tiles.get();
    parts.output.store(results, done, totals.stream().map(OnlineSoftmax.Total::inverse).toList());
    if (group == 0) storeLogarithms(results, done, parts.output, totals);
  }

  /** Whether the CTA has several tiles, whose sums and queries take each other's place. */
  private boolean several() {
    return config.splits() == Splitting.BALANCED;
  }

  /** The first warpgroup's block: P of it before the other warpgroup's. */
  private void firstBlock(Parts parts, Supplier<I32> block) {
    issueScores(parts.scores);
    WgmmaAtom.waitFor(k, 0);
    var step = probabilities(parts, block.get());
    multiply(parts, step.factors());
    finish(group);
  }

  /**
   * The second warpgroup's block: its S is beside the first block's softmax, and its softmax beside the first block's
   * P·V.
   */
  private void secondBlock(Parts parts, Supplier<I32> block) {
    issueScores(parts.scores);
    beginOther(parts, true);
    WgmmaAtom.waitFor(k, 1);
    var step = probabilities(parts, block.get());
    finish(0);
    multiply(parts, step.factors());
    finish(group);
  }

  /** Begins S = Q·Kᵀ of the warpgroup's block, with the columns that land first. */
  private void issueScores(Fragment s) {
    blocks.get(group).keys.awaitFull();
    issueScores(s, 0, 1);
    blocks.get(group).others.awaitFull();
    issueScores(s, 1, key.size());
    WgmmaAtom.commit(k);
  }

  /** Begins S += Q·Kᵀ over parts of the columns, from {@code first} to before {@code end}; a commit follows. */
  private void issueScores(Fragment s, int first, int end) {
    var zero = k.constant(0);
    WgmmaAtom.fence(k);
    for (int part = first; part < end; part++) {
      // Descriptors are computed here: before the loop over the keys, all of them would take registers.
      var partOfQ = q.get(part).settled();
      var partOfK = key.get(part).settled();
      TiledWgmma.of(config.atomOfScores(), partOfQ.layout(), partOfK.layout(), 1)
          .issue(k, zero, partOfQ, zero, partOfK, k.constant(group), s, part > 0);
    }
  }

  /** P of the warpgroup's block, whose S is complete, to shared memory with the rows' statistics. */
  private OnlineSoftmax.Step probabilities(Parts parts, I32 block) {
    var rows = parts.rows;
    if (tokens.isPresent()) {
      rows.set(k, parts.scores, tokens.get().masked(lane, rows, group, rows.values(k, parts.scores)));
    } else {
      var info = parts.tile.blocks();
      k.when(block.lessThan(info.insideEnd()).and(block.lessThan(info.insideFirst()).not()).not(),
          () -> rows.set(k, parts.scores, masked(parts, block)));
    }
    var step = parts.softmax.next(rows.values(k, parts.scores));
    k.barrier(k.constant(READ.get(group)), BOTH);
    storeProbabilities(step.weights());
    statistics.store(rows, lane, Kind.FACTOR, group, step.factors());
    statistics.store(rows, lane, Kind.REFERENCE, group, parts.softmax.references());
    BulkCopy.publish(k);
    // One arrival for a warp: those of all threads would come one after the other.
    k.warpBarrier();
    k.when(lane.modulo(Warp.SIZE).equalTo(0), () -> blocks.get(group).probabilities.full().arrive());
    return step;
  }

  /**
   * Begins O += P·V of the other warpgroup's block, and lets that replace its statistics by those of its next block.
   *
   * @param followed whether the other warpgroup may have another block
   */
  private void beginOther(Parts parts, boolean followed) {
    int other = 1 - group;
    blocks.get(other).probabilities.awaitFull();
    var factors = statistics.load(parts.rows, lane, Kind.FACTOR, other);
    parts.softmax.raise(statistics.load(parts.rows, lane, Kind.REFERENCE, other));
    if (followed) k.arrive(k.constant(READ.get(other)), BOTH);
    parts.output.rescale(factors);
    parts.output.multiply(k.constant(other));
  }

  /** Begins O += P·V of the warpgroup's own block: a warp multiplies the rows of P that it has left itself. */
  private void multiply(Parts parts, List<F32> factors) {
    parts.output.rescale(factors);
    parts.output.multiply(k.constant(group));
  }

  /** Waits for P·V and releases the block. */
  private void finish(int stage) {
    WgmmaAtom.waitFor(k, 0);
    blocks.get(stage).keys.releaseAndAdvance(lane);
  }

  private List<F32> masked(Parts parts, I32 block) {
    var tile = parts.tile;
    var place = new Modification.Place(tile.batch(), tile.head(), config.packing().rows(tile.query()),
        tile.sequence().firstKeyOf(block, MlaConfig.KEYS), config.packing());
    return new ScoreMask(config.band(), tile.sequence(), parts.rows)
        .apply(k, lane, place, parts.rows.values(k, parts.scores));
  }

  private void storeProbabilities(List<F32> weights) {
    var operand = RegisterOperand.of(config.atomOfScores(), config.atomOfOutput());
    var rounded = operand.registers(k);
    operand.round(k, weights, rounded);
    var matrices = StoreMatrix.of(config.atomOfScores().partition(), false);
    for (int slice = 0; slice < rounded.size(); slice++) {
      var first = matrices.row(lane, slice);
      matrices.store(k, p.at(first[0], first[1], k.constant(group)), rounded.get(slice));
    }
  }

  /** The rows' sums over the blocks of both warpgroups. */
  private List<F32> sumsOfAll(FragmentRows rows, List<F32> own) {
    statistics.store(rows, lane, Kind.SUM, group, own);
    k.barrier(k.constant(SUMMED), BOTH);
    var others = statistics.load(rows, lane, Kind.SUM, 1 - group);
    if (several()) k.barrier(k.constant(SUMMED), BOTH);
    // In one order, so that both have the same sum.
    return rows.perRow(row -> group == 0 ? own.get(row).plus(others.get(row)) : others.get(row).plus(own.get(row)));
  }

  private void storeLogarithms(ResultRows results, Tile tile, MlaOutput output, List<OnlineSoftmax.Total> totals) {
    for (int number = 0; number < totals.size(); number++) {
      var total = totals.get(number);
      var row = output.row(results, tile, number);
      total.logSumExp().register();
      k.when(lane.settled().modulo(QUAD).equalTo(0).and(row.exists()), () -> row.store(total));
    }
  }
}
