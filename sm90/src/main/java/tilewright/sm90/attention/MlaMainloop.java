package tilewright.sm90.attention;

import java.util.List;
import java.util.function.Supplier;
import tilewright.async.atom.BulkCopy;
import tilewright.async.atom.StoreMatrix;
import tilewright.async.atom.Warpgroup;
import tilewright.async.collective.Pipeline;
import tilewright.kernel.F32;
import tilewright.kernel.I32;
import tilewright.kernel.Scope;
import tilewright.kernel.SharedTensor;
import tilewright.kernel.collective.attention.AttentionTiles.Tile;
import tilewright.kernel.collective.attention.FragmentRows;
import tilewright.kernel.collective.attention.Modification;
import tilewright.kernel.collective.attention.OnlineSoftmax;
import tilewright.kernel.collective.attention.ScoreMask;
import tilewright.kernel.tiled.Fragment;
import tilewright.kernels.attention.merging.ResultRows;
import tilewright.ptx.PtxType;
import tilewright.sm90.atom.RegisterOperand;
import tilewright.sm90.atom.WgmmaAtom;
import tilewright.sm90.collective.TiledWgmma;

/**
 * The main loops of the two warpgroups that multiply. The first computes S = Q·Kᵀ and its softmax, leaves P and the
 * rows' factors in shared memory, and has the left columns of O; the second has the right columns.
 *
 * @param p (row, key, stage): the place of the rotary part of K, which nothing reads after S
 * @param factors of the rows of O before a block is added; in the end the inverses of the rows' sums
 * @param queries full when Q has landed
 * @param keys full when the first part of a block of K has landed, empty when both have multiplied P·V
 * @param others full when the other parts have landed
 * @param probabilities full when all threads of the first warpgroup have left P and the factors of a block
 */
record MlaMainloop(Scope k, MlaConfig config, LatentTile q, LatentTile key, SharedTensor p,
    SharedTensor factors, Pipeline.Cursor queries, Pipeline.Cursor keys, Pipeline.Cursor others,
    Pipeline.Cursor probabilities, I32 lane) {
  /** The named barrier that says that all have S of a block and the factors of the last: new ones may be stored. */
  private static final int SCORED = 1;
  /** The named barrier that says that the rows' sums are there. */
  private static final int SUMMED = 2;
  private static final int BOTH = MlaConfig.CONSUMERS * Warpgroup.SIZE;
  private static final int QUAD = 4;

  /** The first warpgroup: S, P and the left columns of O. */
  void scores(Supplier<Tile> tiles, ResultRows results) {
    var atom = config.atomOfScores();
    var s = Fragment.of(k, PtxType.F32, atom.registers() / QUAD, QUAD);
    var rows = FragmentRows.of(atom.partition());
    var scale = Modification.NONE.softmaxScale(k, k.scalar("scale"));
    var softmax = OnlineSoftmax.lazy(k, rows, scale, 0);
    var output = output(0);
    var tile = tiles.get();
    var visits = config.visits(tile);
    queries.awaitFull();
    visits.all(k, (place, masked) -> {
      // 1. S = Q·Kᵀ, begun with the columns that land first
      keys.awaitFull();
      issueScores(s, 0, 1);
      others.awaitFull();
      issueScores(s, 1, key.parts().size());
      WgmmaAtom.commit(k);
      WgmmaAtom.waitFor(k, 0);
      // 2. P = exp(S − max)
      var block = visits.block().apply(place).settled();
      var step = softmax.next(masked ? masked(tile, block, rows, s) : rows.values(k, s));
      // 3. P and the rows' factors to shared memory.
      k.barrier(k.constant(SCORED), BOTH);
      storeProbabilities(step.weights());
      storeRows(rows, step.factors());
      BulkCopy.publish(k);
      probabilities.full().arrive();
      // 4. O += P·V
      output.rescale(step.factors());
      probabilities.awaitFull();
      output.multiply(keys.stage());
      keys.releaseAndAdvance(lane);
    });
    // 5. The sums for the other warpgroup, and the results.
    var totals = softmax.finish();
    var inverses = totals.stream().map(OnlineSoftmax.Total::inverse).toList();
    k.barrier(k.constant(SCORED), BOTH);
    storeRows(rows, inverses);
    k.arrive(k.constant(SUMMED), BOTH);
    var done = tiles.get();
    output.store(results, done, inverses);
    storeLogarithms(results, done, output, totals);
  }

  /** The second warpgroup: the right columns of O. */
  void values(Supplier<Tile> tiles, ResultRows results) {
    var output = output(1);
    k.arrive(k.constant(SCORED), BOTH);
    k.loop(config.visits(tiles.get()).count(), _ -> {
      // The first warpgroup has waited for K.
      probabilities.awaitFull();
      var ofBlock = output.read(factors);
      k.arrive(k.constant(SCORED), BOTH);
      output.rescale(ofBlock);
      output.multiply(keys.stage());
      keys.releaseAndAdvance(lane);
    });
    k.barrier(k.constant(SUMMED), BOTH);
    output.store(results, tiles.get(), output.read(factors));
  }

  private MlaOutput output(int group) {
    return MlaOutput.zero(k, config, p, key.shared(group).as(config.layoutOfV()), lane, group);
  }

  /** Begins S += Q·Kᵀ over parts of the columns, from {@code first} to before {@code end}; a commit follows. */
  private void issueScores(Fragment s, int first, int end) {
    var zero = k.constant(0);
    WgmmaAtom.fence(k);
    for (int part = first; part < end; part++) {
      // Descriptors are computed here: before the loop over the keys, all of them would take registers.
      var partOfQ = q.shared(part).settled();
      var partOfK = key.shared(part).settled();
      TiledWgmma.of(config.atomOfScores(), partOfQ.layout(), partOfK.layout(), 1)
          .issue(k, zero, partOfQ, zero, partOfK, keys.stage(), s, part > 0);
    }
  }

  private List<F32> masked(Tile tile, I32 block, FragmentRows rows, Fragment s) {
    var place = new Modification.Place(tile.batch(), tile.head(), config.packing().rows(tile.query()),
        tile.sequence().firstKeyOf(block, MlaConfig.KEYS), config.packing());
    return new ScoreMask(config.band(), tile.sequence(), rows).apply(k, lane, place, rows.values(k, s));
  }

  private void storeProbabilities(List<F32> weights) {
    var operand = RegisterOperand.of(config.atomOfScores(), config.atomOfOutput());
    var rounded = operand.registers(k);
    operand.round(k, weights, rounded);
    var matrices = StoreMatrix.of(config.atomOfScores().partition(), false);
    for (int slice = 0; slice < rounded.size(); slice++) {
      var first = matrices.row(lane, slice);
      matrices.store(k, p.at(first[0], first[1], keys.stage()), rounded.get(slice));
    }
  }

  /** A number of each row, by one of the four threads that share it. */
  private void storeRows(FragmentRows rows, List<F32> numbers) {
    numbers.forEach(F32::register);
    k.when(lane.modulo(QUAD).equalTo(0), () -> {
      for (int row = 0; row < rows.count(); row++) {
        factors.at(rows.row(lane, row)).store(numbers.get(row));
      }
    });
  }

  private void storeLogarithms(ResultRows results, Tile tile, MlaOutput output, List<OnlineSoftmax.Total> totals) {
    for (int number = 0; number < totals.size(); number++) {
      var log = totals.get(number).logSumExp();
      var row = output.row(results, tile, number);
      log.register();
      k.when(lane.settled().modulo(QUAD).equalTo(0).and(row.exists()), () -> row.store(log));
    }
  }
}
