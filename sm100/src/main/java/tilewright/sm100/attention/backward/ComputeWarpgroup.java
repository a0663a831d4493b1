package tilewright.sm100.attention.backward;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import tilewright.async.atom.BulkCopy;
import tilewright.async.attention.TileCoordinates;
import tilewright.async.collective.Pipeline;
import tilewright.kernel.F32;
import tilewright.kernel.I32;
import tilewright.kernel.Scope;
import tilewright.kernel.SharedTensor;
import tilewright.kernel.Vector;
import tilewright.kernel.collective.attention.ScoreMod.Sloped;
import tilewright.kernel.tiled.Fragment;
import tilewright.kernels.attention.backward.KeyBlock;
import tilewright.ptx.Operand;
import tilewright.ptx.PtxType;
import tilewright.sm100.atom.F32x2;
import tilewright.sm100.atom.TensorFence;
import tilewright.sm100.atom.TensorMemoryAccess;
import tilewright.sm100.atom.TensorMemoryTile;
import tilewright.sm100.collective.WarpSync;

/**
 * One of two warpgroups that compute P and dS, each for half of a tile's queries: a thread has a key's row of Sᵀ and
 * dPᵀ. At the end each stores half of the columns of dV and dK.
 *
 * @param thread its number in the warpgroup, of which {@code warp} is the warp
 * @param half of the queries
 */
record ComputeWarpgroup(Scope k, BackwardTiles tiles, BackwardMemory memory, BackwardSignals signals, I32 thread,
    I32 warp, I32 half) {
  private static final int CHUNK = Sm100BackwardConfig.CHUNK;
  /** Chunks of queries that a warpgroup has of a tile. */
  private static final int CHUNKS = Sm100BackwardConfig.QUERIES / Sm100BackwardConfig.HALVES / CHUNK;
  /** Queries of dPᵀ that a thread has in registers at a time, beside all of P: so few that nothing is spilled. */
  private static final int PIECE = 16;
  /** Likewise of Sᵀ where it is changed by a function, whose slopes are in registers, too. */
  private static final int SLOPED = 4;
  private static final int QUAD = RowStatistics.QUAD;
  /** Elements of 16 bytes. */
  private static final int ACCESS = 8;
  private static final int NAMED_BARRIER = 1;
  private static final int THREADS = Sm100BackwardConfig.HALVES * Sm100BackwardConfig.KEYS;

  void compute(KeyBlock block) {
    var statistics = signals.statistics().consumer();
    var dQFull = signals.dQFull().waiterButFirst();
    var sFull = signals.sFull().waiter();
    var dPFull = signals.dPFull().waiter();
    var walk = block.walk();
    var shape = tiles.config().shape();
    k.loop(block.count(), _ -> {
      statistics.awaitFull();
      // 1. P = 2^(scale·S − LSE) in S's place.
      sFull.await();
      TensorFence.afterSync(k);
      var p = probabilities(block, walk, statistics);
      TensorFence.waitForStores(k);
      signal(() -> tiles.groups().arriveAtFirst(signals.pFull().barrier()));
      // 2. dS = P ∘ (dP − D) in dP's place, and in shared memory.
      dPFull.await();
      TensorFence.afterSync(k);
      // The last dS in shared memory has been read: of a pair, and sent.
      if (shape.paired()) dQFull.await();
      storeScoreGradients(block, walk, p, statistics);
      TensorFence.waitForStores(k);
      BulkCopy.publish(k);
      signal(() -> {
        signals.dSFull().barrier().arrive();
        signals.pair().ifPresent(this::sendScoreGradients);
      });
      statistics.advance();
      walk.advance();
    });
    // Found again, so that what only the epilogue needs takes no registers in the loop.
    storeGradients(block);
  }

  private void signal(Runnable arrival) {
    TensorFence.beforeSync(k);
    WarpSync.once(k, thread, arrival);
  }

  /** Sends the warp's rows of the half of dS that the pair's other CTA multiplies to its shared memory. */
  private void sendScoreGradients(BackwardSignals.OfPair pair) {
    var member = tiles.groups().member();
    k.when(half.equalTo(member).not(), () -> BulkCopy.send(k,
        tiles.dS().at(thread, k.constant(0), member), tiles.dS().at(thread, k.constant(0), placeOfDS()), half,
        k.constant(Sm100BackwardConfig.SENT_BYTES), pair.dSReceived().barrier()));
  }

  /** The place for this warpgroup's half of dS: of a pair, that of this CTA's keys, or that from which it is sent. */
  private I32 placeOfDS() {
    var groups = tiles.groups();
    return groups.ctas() == 1 ? half : half.where(half.equalTo(groups.member()), groups.ctas());
  }

  private void load(TensorMemoryTile tile, int first, Fragment into) {
    TensorMemoryAccess.rows(into.group(0).size()).load(k, tile, warp, first, into);
    TensorFence.waitForLoads(k);
  }

  /** Stores P in S's place, and returns P times the slopes of the scores. */
  private List<F32> probabilities(KeyBlock block, KeyBlock.Walk walk, Pipeline.Cursor statistics) {
    int columns = tiles.config().modification().score().isPresent() ? SLOPED : CHUNK;
    var p = new ArrayList<F32>();
    for (int number = 0; number < CHUNKS; number++) {
      for (int first = 0; first < CHUNK; first += columns) {
        var scores = Fragment.of(k, PtxType.F32, 1, columns);
        load(BackwardMemory.chunk(memory.scores(), half, number), first, scores);
        var query = BackwardMemory.firstOf(half, number).plus(first);
        var sloped = new TransposedScores(k, tiles.config(), block, thread).of(walk, query, scores);
        var piece = exponentials(sloped, query, statistics.stage());
        store(BackwardMemory.rounded(memory.scores(), half, number), first, rounded(piece));
        var times = IntStream.range(0, columns).mapToObj(i -> sloped.get(i).gradient(piece.get(i))).toList();
        times.forEach(F32::register);
        p.addAll(times);
      }
    }
    return p;
  }

  private List<F32> exponentials(List<Sloped> scores, I32 query, I32 stage) {
    var factor = tiles.config().modification().softmaxScale(k, k.scalar("scale"));
    var scale = F32x2.of(k, factor, factor);
    var p = new ArrayList<F32>();
    for (int i = 0; i < scores.size(); i += QUAD) {
      var logarithms = tiles.statistics().logarithms(query.plus(i), stage);
      for (int j = 0; j < QUAD; j += 2) {
        var shift = F32x2.of(k, logarithms.get(j).negated(), logarithms.get(j + 1).negated());
        F32x2.of(k, scores.get(i + j).value(), scores.get(i + j + 1).value()).fma(scale, shift).singles().stream()
            .map(F32::exp2).forEach(p::add);
      }
    }
    p.forEach(F32::register);
    return p;
  }

  /** Stores dS in dP's place, and in shared memory. */
  private void storeScoreGradients(KeyBlock block, KeyBlock.Walk walk, List<F32> p, Pipeline.Cursor statistics) {
    var row = thread.settled();
    var place = placeOfDS().settled();
    for (int number = 0; number < CHUNKS; number++) {
      for (int first = 0; first < CHUNK; first += PIECE) {
        var loaded = TensorMemoryAccess.rows(PIECE).fragment(k, PtxType.F32);
        load(BackwardMemory.chunk(memory.probabilityGradients(), half, number), first, loaded);
        var query = BackwardMemory.firstOf(half, number).plus(first);
        int from = number * CHUNK + first;
        var gradients = scoreGradients(p.subList(from, from + PIECE), loaded.group(0), query, statistics.stage());
        var dS = rounded(gradients);
        store(BackwardMemory.rounded(memory.probabilityGradients(), half, number), first, dS);
        for (int i = 0; i < PIECE; i += ACCESS) {
          tiles.dS().at(row, k.constant(from + i), place).store(Vector.packed(k, tiles.config().type(),
              dS.subList(i / 2, (i + ACCESS) / 2)));
        }
        new TransposedScores(k, tiles.config(), block, thread).addCaptured(walk, query, loaded, gradients);
      }
    }
  }

  /** dS = P ∘ (dP − D) of neighbouring queries. */
  private List<F32> scoreGradients(List<F32> p, List<Operand.Register> dP, I32 query, I32 stage) {
    var gradients = new ArrayList<F32>();
    for (int i = 0; i < PIECE; i += QUAD) {
      var sums = tiles.statistics().sums(query.plus(i), stage);
      for (int j = 0; j < QUAD; j += 2) {
        gradients.addAll(F32x2.of(k, dP.get(i + j), dP.get(i + j + 1)).minus(F32x2.of(k, sums.get(j), sums.get(j + 1)))
            .times(F32x2.of(k, p.get(i + j), p.get(i + j + 1))).singles());
      }
    }
    return gradients;
  }

  /** Two elements in a register. */
  private List<Operand.Register> rounded(List<F32> values) {
    return Vector.rounded(k, tiles.config().type(), values).registers();
  }

  /** Stores elements, of which the tile has two in a column, from one on. */
  private void store(TensorMemoryTile tile, int first, List<Operand.Register> rounded) {
    TensorMemoryAccess.rows(rounded.size()).store(k, tile, warp, first / 2, new Fragment(List.of(rounded)));
  }

  /** Stores dV and scale · dK by way of shared memory; zeros where no query sees the block. */
  private void storeGradients(KeyBlock block) {
    var any = block.count().atLeast(1);
    var config = tiles.config();
    k.when(any, () -> {
      signals.complete().waiter().await();
      TensorFence.afterSync(k);
    });
    var dV = tiles.dV().shared();
    stage(memory.dV(), block, k.constant(1f), dV.as(config.transposed(dV.layout())));
    stage(memory.dK(), block, k.scalar("scale"), tiles.dK().shared());
    BulkCopy.publish(k);
    k.barrier(k.constant(NAMED_BARRIER), THREADS);
    var coordinates = new TileCoordinates(k, config.packed());
    var firstKey = block.firstKey().settled();
    k.when(thread.plus(half).equalTo(0), () -> {
      tiles.dV().store(k, k.constant(0), coordinates.values(block.itself(), firstKey));
      tiles.dK().store(k, k.constant(0), coordinates.keys(block.itself(), firstKey));
      BulkCopy.commit(k);
      BulkCopy.waitForReads(k, 0);
    });
  }

  /** Rounds this warpgroup's chunks of columns to a tile (keys, columns, 1). */
  private void stage(TensorMemoryTile gradient, KeyBlock block, F32 factor, SharedTensor tile) {
    var row = thread.settled();
    for (int chunk = 0; chunk < gradient.columns() / CHUNK / Sm100BackwardConfig.HALVES; chunk++) {
      var mine = BackwardMemory.chunk(gradient, half, chunk);
      var column = BackwardMemory.firstOf(half, chunk);
      var loaded = TensorMemoryAccess.rows(CHUNK).fragment(k, PtxType.F32);
      k.when(block.count().atLeast(1), () -> {
        load(mine, 0, loaded);
      }, () -> loaded.clear(k, PtxType.F32));
      var values = loaded.group(0).stream().map(r -> k.result(r).times(factor)).toList();
      for (int i = 0; i < CHUNK; i += ACCESS) {
        tile.at(row, column.plus(i), k.constant(0)).store(values.subList(i, i + ACCESS));
      }
    }
  }
}
