package tilewright.kernels.attention;

import java.util.List;
import java.util.Optional;
import tilewright.kernel.F32;
import tilewright.kernel.I32;
import tilewright.kernel.Kernel;
import tilewright.kernel.Scope;
import tilewright.kernel.collective.attention.AttentionEpilogue;
import tilewright.kernel.collective.attention.Modification;
import tilewright.kernel.collective.attention.OnlineSoftmax;
import tilewright.kernel.collective.attention.ScoreMask;
import tilewright.kernel.collective.attention.StoredTotals;

/**
 * O = softmax(scale · Q·Kᵀ) · V on SM80 tensor cores (FlashAttention-2, algorithm 1): Q (Sq,D,H,B), K (Sk,D,Hk,B), V
 * (Dv,Sk,Hk,B) and O (Sq,Dv,H,B), any strides but along the head dimensions.
 *
 * <p>A CTA has a tile of queries. Keys and values come block by block, the last first: global → {@code cp.async} →
 * swizzled shared memory → {@code ldmatrix} → {@code mma.sync}. In FlashAttention-2 each warp has whole rows of the
 * tile, and P never leaves registers; the variants order the steps of a block otherwise. A score of NaN or +∞ makes its
 * row of O NaN.
 */
record Sm80Attention(AttentionVariant variant) implements Kernel {
  @Override
  public String name() {
    return variant.name();
  }

  @Override
  public void trace(Scope k) {
    var tiling = variant.tiling();
    var thread = k.block(tiling.threads());
    k.blocksPerMultiprocessor(variant.residentBlocks());
    var tensors = new AttentionTensors(k, variant);
    var tile = tensors.tile();
    var shared = variant.sharedTiles(k);

    k.when(tile.exists(), () -> {
      var blocks = tensors.blocks(tile);
      var scales = tensors.blockScales(thread, tile);
      var tiles = variant.pipeline(tensors.copies(thread, tile, shared, scales));
      var products = new AttentionProducts(k, thread, variant, shared, scales);
      // Line 4: load Q, and what is needed first of K and V.
      k.when(tensors.hasKeys(blocks), () -> tiles.begin(blocks, products::holdQueries));

      var rows = products.rowsOfScores();
      var factors = variant.quantized().filter(q -> !q.blockScaled())
          .map(q -> new OperandFactors(k, thread, variant, q, tensors.scale(), tile, tensors.headOfKeys(tile), rows));
      var softmax = factors.map(f -> OnlineSoftmax.of(k, rows, f::ofSoftmax, OperandFactors.OFFSET))
          .orElseGet(() -> variant.softmax(k, rows, variant.modification().softmaxScale(k, tensors.scale()),
              products.combination()));
      var mask = new ScoreMask(variant.band(), tile.sequence(), rows);
      // Lines 6 to 11: for each block of keys, in steps over chunks of the head dimension.
      blocks.visit(k, (n, masked, next, more) -> tiles.visit(n, !masked, next, more, step -> {
        if (!step.scores()) {
          products.mix(step); // line 10: O += P·V
          return;
        }
        factors.ifPresent(f -> f.begin(n));
        scales.ifPresent(s -> s.begin(n));
        products.score(step); // line 8: S = Q·Kᵀ
        if (!step.last()) return;
        var ofFunction = factors.map(OperandFactors::ofFunction)
            .orElseGet(() -> rows.perRow(_ -> tensors.scale()));
        var s = masked(k, thread, ofFunction, tile, products, n, masked ? Optional.of(mask) : Optional.empty());
        var taken = softmax.next(s);
        // lines 9 and 10: m, P and l; O = diag(factors)·O
        products.accept(softmax, factors.map(f -> f.rescaled(taken)).orElse(taken));
      }));

      // Lines 12 to 15: O = diag(1/l)·O and L = m + log l, by way of shared memory.
      tiles.end();
      var end = tensors.tileAgain(tile);
      var here = variant.tilesInGrid() ? thread : thread.settled();
      var sums = softmax.finish();
      var totals = tensors.withSinks(end, here, rows, factors.map(f -> f.ofOutput(sums)).orElse(sums));
      var staging = variant.staging(shared);
      int columns = Math.toIntExact(staging.layout().shape().mode(1).size());
      var copy = variant.copyOfOutput(k, columns);
      for (int i = 0; i < tiling.valueChunks(); i++) {
        if (i > 0 || tiles.stagingIsRead()) k.barrier();
        var epilogue = new AttentionEpilogue(products.rowsOfOutput(), staging, copy,
            i == 0 ? tensors.stored(end) : new StoredTotals(List.of()));
        epilogue.store(k, here, totals, products.output(i), tensors.output(end, i * tiling.valueChunk()));
      }
    });
  }

  /** The scores of a block, changed by the modification, and masked where the block needs it. */
  private List<F32> masked(Scope k, I32 thread, List<F32> scales, AttentionTensors.Tile tile,
      AttentionProducts products, I32 block, Optional<ScoreMask> mask) {
    var firstKey = block.times(variant.tiling().tileN());
    var place = new Modification.Place(tile.place().batch(), tile.head(), tile.firstRow(), firstKey, variant.packing())
        .in(tile.sequence(), mask.isEmpty());
    var s = variant.modification().apply(k, thread, products.rowsOfScores(), scales, place,
        variant.blockMask() && mask.isEmpty(), products.scores());
    return mask.map(m -> m.apply(k, variant.rematerialisation().forValues(k, thread, variant.tiling()), place, s))
        .orElse(s);
  }
}
