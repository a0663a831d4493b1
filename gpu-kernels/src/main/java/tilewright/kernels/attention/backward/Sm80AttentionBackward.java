package tilewright.kernels.attention.backward;

import java.util.List;
import java.util.stream.IntStream;
import tilewright.kernel.F32;
import tilewright.kernel.I32;
import tilewright.kernel.Kernel;
import tilewright.kernel.Partition;
import tilewright.kernel.Scope;
import tilewright.kernel.collective.attention.CapturedGradients;
import tilewright.kernel.collective.attention.Modification;
import tilewright.kernel.collective.attention.ScoreMask;
import tilewright.kernel.collective.attention.ScoreMod;

/**
 * The gradients of attention on SM80 tensor cores (FlashAttention-2, algorithm 2): Q (Sq,D,H,B), K (Sk,D,Hk,B), V
 * (Dv,Sk,Hk,B) and dO (Sq,Dv,H,B) to dK, dV and the accumulators of dQ.
 *
 * <p>A CTA has a block of keys of one head of K, whose dK and dV stay in registers. The tiles of queries that see the
 * block come one after the other, those of all heads of Q that read the head of K: global → {@code cp.async} →
 * swizzled shared memory → {@code ldmatrix} → {@code mma.sync}. Several CTAs add to a tile of dQ, in global memory.
 */
record Sm80AttentionBackward(Sm80BackwardConfig config) implements Kernel {
  @Override
  public String name() {
    return config.name();
  }

  @Override
  public void trace(Scope k) {
    var thread = k.block(config.shape().threads());
    k.blocksPerMultiprocessor(1);
    var tensors = new Sm80BackwardTensors(k, config);
    var tiles = Sm80BackwardTiles.of(k, config);
    var block = tensors.block();
    k.when(block.exists(), () -> {
      var products = new Sm80BackwardProducts(k, thread, config, tiles);
      var copies = new Sm80BackwardCopies(k, thread, config, tensors, tiles, block);
      // Line 6: load K and V. Line 7: dK = dV = 0.
      k.when(block.count().atLeast(1), copies::begin);
      // Line 8: for each tile of queries.
      var walk = block.walk(config.walk());
      var turns = tensors.turns().map(all -> new Sm80BackwardTurns(k, thread, all, tensors, block, walk));
      k.loop(block.count(), i -> {
        var stage = copies.await(); // line 9: load Q, dO, L and D
        turns.ifPresent(order -> order.begin(i));
        var tile = walk.tile();
        var logarithms = products.perRow(thread, row -> tensors.logarithm(tile, row));
        var p = probabilities(k, thread, tensors, products, block, walk, stage, logarithms); // lines 10 and 11
        products.store(p.p, tiles.p());
        var sums = products.perRow(thread, row -> tensors.sum(tile, row));
        var difference = products.probabilityGradients(stage, sums); // line 13: dP = dO·Vᵀ
        products.store(scoreGradients(p.factors, difference), tiles.dS()); // line 14: dS = P ∘ (dP − D)
        if (!p.captured.isEmpty()) p.captured.add(k, thread.settled(), scoreGradients(p.p, difference));
        k.barrier();
        products.addToValueGradients(stage); // line 12: dV += Pᵀ·dO
        // Line 15: dQ += dS·K. Line 16: dK += dSᵀ·Q. The next tile is copied behind either.
        copies.behind(i, () -> add(k, thread, products.queryGradients(), tensors, tile),
            () -> products.addToKeyGradients(stage));
        if (turns.isEmpty()) walk.advance();
      });
      copies.end();
      turns.ifPresent(Sm80BackwardTurns::end);
      // Line 18: store dK and dV, by way of shared memory.
      products.stageKeyGradients(tensors.scale());
      products.stageValueGradients();
      k.barrier();
      copies.storeGradients();
    });
  }

  /**
   * P, and the factors of dP − D in dS: P ∘ the derivatives of the score function.
   *
   * @param p zero where a query does not see a key; likewise {@code factors}
   * @param captured what the scores add to the gradients of captured tensors
   */
  private record Probabilities(List<F32> p, List<F32> factors, CapturedGradients captured) {}

  /** S = Q·Kᵀ, changed and masked, and P = exp(S − L). */
  private Probabilities probabilities(Scope k, I32 thread, Sm80BackwardTensors tensors, Sm80BackwardProducts products,
      KeyBlock block, KeyBlock.Walk walk, I32 stage, List<F32> logarithms) {
    var rows = products.rows();
    var scores = products.scores(stage);
    var modification = config.modification();
    var differentiated = modification.differentiated(k, thread, rows, tensors.scale(), place(block, walk.tile()), false,
        rows.values(k, scores));
    var changed = differentiated.scores();
    if (!modification.equals(Modification.NONE)) {
      rows.set(k, scores, changed.stream().map(ScoreMod.Sloped::value).toList());
    }
    k.when(walk.masked(), () -> {
      var mask = new ScoreMask(config.band(), block.sequence().settled(), rows);
      rows.set(k, scores, mask.apply(k, thread.settled(), place(block, walk.tile()), rows.values(k, scores)));
    });
    var scale = modification.softmaxScale(k, tensors.scale());
    var p = rows.withRows(rows.values(k, scores), logarithms, (s, log) -> s.fma(scale, log.negated()).exp2());
    return new Probabilities(p, IntStream.range(0, p.size()).mapToObj(v -> changed.get(v).gradient(p.get(v))).toList(),
        differentiated.captured());
  }

  private Modification.Place place(KeyBlock block, KeyBlock.Tile tile) {
    return new Modification.Place(tile.batch(), tile.head(), tile.number().times(config.shape().tileM()),
        block.firstKey().settled()).in(block.sequence(), false);
  }

  private static List<F32> scoreGradients(List<F32> factors, List<F32> differences) {
    return IntStream.range(0, factors.size()).mapToObj(v -> factors.get(v).times(differences.get(v))).toList();
  }

  /** Adds a tile's part of dQ to its accumulators: atomically, neighbouring threads to neighbouring numbers. */
  private void add(Scope k, I32 thread, List<F32> dQ, Sm80BackwardTensors tensors, KeyBlock.Tile tile) {
    var accumulators = tensors.accumulators(tile);
    var zero = k.constant(0);
    var here = thread.settled();
    var runs = Partition.runs(config.shape().threads(), 1, dQ.size());
    for (int v = 0; v < dQ.size(); v++) {
      accumulators.at(runs.coordinate(here, v)[0], zero, zero).atomicAdd(dQ.get(v));
    }
  }
}
