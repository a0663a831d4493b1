package tilewright.kernels.attention;

import tilewright.kernel.Kernel;
import tilewright.kernel.Scope;
import tilewright.kernel.atom.CopyAtom;
import tilewright.kernel.atom.CpAsync;
import tilewright.kernel.atom.ElementCopy;
import tilewright.kernel.collective.attention.AttentionEpilogue;
import tilewright.kernel.collective.attention.Modification;
import tilewright.kernel.collective.attention.OnlineSoftmax;
import tilewright.kernel.collective.attention.ScoreMask;
import tilewright.kernel.tiled.SwizzledTile;
import tilewright.kernel.tiled.TiledCopy;
import tilewright.layout.Layout;

/**
 * O = softmax(scale · Q·Kᵀ) · V on SM80 tensor cores (FlashAttention-2, algorithm 1): Q (Sq,D,H,B), K (Sk,D,Hk,B), V
 * (Dv,Sk,Hk,B) and O (Sq,Dv,H,B), any strides but along the head dimensions.
 *
 * <p>A CTA has a tile of queries, each warp whole rows of it. Keys and values come tile by tile, the last first: global
 * → {@code cp.async} → swizzled shared memory → {@code ldmatrix} → {@code mma.sync}; weights never leave registers.
 */
public record Sm80Attention(Sm80AttentionConfig config) implements Kernel {
  @Override
  public String name() {
    return "sm80_attention_" + config.type().text() + "_d" + config.shape().tileD();
  }

  @Override
  public void trace(Scope k) {
    var thread = k.block(shape().threads());
    k.blocksPerMultiprocessor(shape().residentBlocks());
    var tensors = new AttentionTensors(k, config);
    var tile = tensors.tile(k.blockX());
    var tileQ = k.shared(config.type(), SwizzledTile.alongColumns(shape().tileM(), shape().tileD(), 1));
    var tileK = k.shared(config.type(), SwizzledTile.alongColumns(shape().tileN(), shape().tileD(), shape().stages()));
    var tileV = k.shared(config.type(), SwizzledTile.alongRows(shape().tileDv(), shape().tileN(), shape().stages()));
    var copy = copy(k, shape().tileD(), true);

    k.when(tile.exists(), () -> {
      var blocks = tensors.blocks(tile);
      var tiles = KeyValueTiles.of(k, thread, new KeyValueTiles.Operand(tensors.keys(tile), 0, copy, tileK),
          new KeyValueTiles.Operand(tensors.values(tile), 1, copy(k, shape().tileDv(), false), tileV),
          shape().stages());
      var products = new AttentionProducts(k, thread, config, tileQ);
      k.when(blocks.any(), () -> {
        copy.copy(thread, tensors.queries(tile), tileQ, k.constant(0), k.constant(0), k.constant(0));
        tiles.begin(blocks.begin());
        if (shape().queryInRegisters()) {
          tiles.settle();
          products.holdQueries();
        }
      });

      var rows = products.rowsOfScores();
      var scores = config.modification();
      var scale = scores.softmaxScale(k, tensors.scale());
      var softmax = rarelyRescales() ? OnlineSoftmax.lazy(k, rows, scale, 0) : OnlineSoftmax.of(k, rows, scale);
      var mask = new ScoreMask(config.band(), tile.sequence(), rows, config.packing());
      blocks.visit(k, (n, masked, next, more) -> {
        var firstKey = n.times(shape().tileN());
        var place = new Modification.Place(tile.place().batch(), tile.head(), tile.firstRow(), firstKey,
            config.packing());
        tiles.awaitKeys(n, !masked, next, more);
        var s = products.scores(tiles.keys(), tiles.stage());
        s = scores.apply(k, thread, rows, tensors.scale(), place, config.blockMask() && !masked, s);
        if (masked) s = mask.apply(k, thread, tile.firstRow(), firstKey, s);
        var step = softmax.next(s);
        if (shape().conditionalRescale()) softmax.rescale(step, products.rowsOfOutput(), products.sums());
        else products.rowsOfOutput().scale(k, products.sums(), step.factors());
        tiles.awaitValues(next, more);
        products.mix(step.weights(), tiles.values(), tiles.stage());
      });

      // A warp's rows of Q become its rows of O; with two stages it read them after the last barrier.
      if (shape().stages() > 1 && !shape().queryInRegisters()) k.warpBarrier();
      // What only the end needs is computed there, not held through the loop.
      var end = tensors.tile(k.blockX().settled());
      var output = products.rowsOfOutput();
      new AttentionEpilogue(output, tileQ, copy, tensors.logarithms(end)).store(k, thread.settled(), softmax.finish(),
          output.values(k, products.sums()), tensors.output(end));
    });
  }

  /** Blocks that a diagonal cuts need the registers that a reference of each block's own would take. */
  private boolean rarelyRescales() {
    return shape().conditionalRescale() && config.band().right().isPresent();
  }

  private Sm80AttentionConfig.Shape shape() {
    return config.shape();
  }

  /** Threads run along the head dimension first, so that a warp reads whole sectors of a swizzled tile's rows. */
  private TiledCopy copy(Scope k, int dim, boolean rowsFirst) {
    int vector = config.vector();
    CopyAtom atom = vector == 1 ? new ElementCopy() : new CpAsync(k, vector, config.type().bytes());
    int along = Math.min(Integer.lowestOneBit(dim), 64) / vector;
    int across = shape().threads() / along;
    return rowsFirst
        ? TiledCopy.of(atom, Layout.of(Layout.of(across, along), Layout.of(along, 1)), Layout.columnMajor(1, vector))
        : TiledCopy.of(atom, Layout.of(Layout.of(along, 1), Layout.of(across, along)), Layout.columnMajor(vector, 1));
  }
}
