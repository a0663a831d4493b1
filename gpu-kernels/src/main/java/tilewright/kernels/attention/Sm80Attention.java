package tilewright.kernels.attention;

import java.util.Optional;
import tilewright.kernel.GlobalTensor;
import tilewright.kernel.I32;
import tilewright.kernel.Kernel;
import tilewright.kernel.Scope;
import tilewright.kernel.atom.CopyAtom;
import tilewright.kernel.atom.CpAsync;
import tilewright.kernel.atom.ElementCopy;
import tilewright.kernel.collective.attention.AttentionEpilogue;
import tilewright.kernel.collective.attention.AttentionTileScheduler;
import tilewright.kernel.collective.attention.BlockInfo;
import tilewright.kernel.collective.attention.BlockLists;
import tilewright.kernel.collective.attention.BlockOrder;
import tilewright.kernel.collective.attention.Modification;
import tilewright.kernel.collective.attention.OnlineSoftmax;
import tilewright.kernel.collective.attention.ScoreMask;
import tilewright.kernel.collective.attention.SeqlenInfo;
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
    var shape = config.shape();
    var thread = k.block(shape.threads());
    k.blocksPerMultiprocessor(shape.residentBlocks());
    var q = k.global(config.q());
    var keys = k.global(config.k());
    var values = k.global(config.v());
    var o = k.global(config.o());
    var lse = config.lse() ? Optional.of(k.global(config.logSumExp())) : Optional.<GlobalTensor>empty();
    var scale = k.scalar("scale");
    var zero = k.constant(0);

    var lengths = config.packed()
        ? Optional.of(new Lengths(k.global(config.lengths("cuQ")), k.global(config.lengths("cuK"))))
        : Optional.<Lengths>empty();

    var scheduler = scheduler(k, q, lengths);
    var tile = scheduler.tile(k.blockX());
    var headOfKeys = tile.head().dividedBy(q.extent(2).dividedBy(keys.extent(2)));
    var sequence = lengths.map(l -> SeqlenInfo.packed(l.queries, l.keys, tile.batch()))
        .orElseGet(() -> SeqlenInfo.fixed(q.extent(0), keys.extent(0)));
    var entry = config.packed() ? zero : tile.batch();
    var firstQuery = tile.number().times(shape.tileM());

    var tileQ = k.shared(config.type(), SwizzledTile.alongColumns(shape.tileM(), shape.tileD(), 1));
    var tileK = k.shared(config.type(), SwizzledTile.alongColumns(shape.tileN(), shape.tileD(), shape.stages()));
    var tileV = k.shared(config.type(), SwizzledTile.alongRows(shape.tileDv(), shape.tileN(), shape.stages()));
    CopyAtom atom = config.vector() == 1 ? new ElementCopy() : new CpAsync(k, config.vector(), config.type().bytes());
    var copyRows = TiledCopy.of(atom, threads(shape.tileD(), true), Layout.columnMajor(1, config.vector()));
    var copyColumns = TiledCopy.of(atom, threads(shape.tileDv(), false), Layout.columnMajor(config.vector(), 1));

    k.when(firstQuery.lessThan(sequence.queries()), () -> {
      BlockOrder blocks = config.blockMask() ? BlockLists.of(k, tile)
          : BlockInfo.of(config.band(), sequence, firstQuery, shape.tileM(), shape.tileN());
      var tiles = KeyValueTiles.of(k, thread,
          new KeyValueTiles.Operand(head(keys, 0, sequence.firstKey(), sequence.keys(), headOfKeys, entry), 0, copyRows,
              tileK),
          new KeyValueTiles.Operand(head(values, 1, sequence.firstKey(), sequence.keys(), headOfKeys, entry), 1,
              copyColumns, tileV), shape.stages());
      var queries = head(q, 0, sequence.firstQuery(), sequence.queries(), tile.head(), entry)
          .from(firstQuery, zero, zero, zero);
      var products = new AttentionProducts(k, thread, config, tileQ);
      k.when(blocks.any(), () -> {
        copyRows.copy(thread, queries, tileQ, zero, zero, zero);
        tiles.begin(blocks.begin());
        if (shape.queryInRegisters()) {
          tiles.settle();
          products.holdQueries();
        }
      });
      var rows = products.rowsOfScores();
      var softmax = OnlineSoftmax.of(k, rows, config.modification().softmaxScale(k, scale));
      var mask = new ScoreMask(config.band(), sequence, rows);
      blocks.visit(k, (n, masked, next, more) -> {
        tiles.awaitKeys(n, next, more);
        var firstKey = n.times(shape.tileN());
        var place = new Modification.Place(tile.batch(), tile.head(), firstQuery, firstKey);
        var s = products.scores(tiles.keys(), tiles.stage());
        s = config.modification().apply(k, thread, rows, scale, place, config.blockMask() && !masked, s);
        if (masked) s = mask.apply(k, thread, firstQuery, firstKey, s);
        var step = softmax.next(s, masked || config.modification().mask().isPresent());
        if (shape.conditionalRescale()) softmax.rescale(step, products.rowsOfOutput(), products.sums());
        else products.rowsOfOutput().scale(k, products.sums(), step.factors());
        tiles.awaitValues(next, more);
        products.mix(step.weights(), tiles.values(), tiles.stage());
      });

      // A warp's rows of Q become its rows of O; with two stages it read them after the last barrier.
      if (shape.stages() > 1 && !shape.queryInRegisters()) k.warpBarrier();
      // What only the end needs is computed there, not held through the loop.
      var end = scheduler.tile(k.blockX().settled());
      var lastThread = thread.settled();
      var firstRow = end.number().times(shape.tileM());
      var output = products.rowsOfOutput();
      new AttentionEpilogue(output, tileQ, copyRows, lse.map(l -> l.part(0, sequence.firstQuery(), sequence.queries())
          .from(firstRow, end.head(), config.packed() ? zero : end.batch())))
          .store(k, lastThread, softmax.finish(), output.values(k, products.sums()),
              head(o, 0, sequence.firstQuery(), sequence.queries(), end.head(), config.packed() ? zero : end.batch())
                  .from(firstRow, zero, zero, zero));
    });
  }

  private AttentionTileScheduler scheduler(Scope k, GlobalTensor q, Optional<Lengths> lengths) {
    boolean longestFirst = config.band().right().isPresent();
    // Packed sequences all get the tiles of the longest, which only the launch knows.
    var entries = lengths.map(l -> l.queries.extent(0).plus(-1)).orElse(q.extent(3));
    var tiles = lengths.isPresent() ? k.gridX().dividedBy(q.extent(2).times(entries))
        : q.extent(0).ceilDiv(config.shape().tileM());
    return new AttentionTileScheduler(tiles, q.extent(2), entries, config.shape().headsTogether(), longestFirst);
  }

  /** Cumulated lengths. */
  private record Lengths(GlobalTensor queries, GlobalTensor keys) {}

  /** A sequence's part of one head; {@code along} is the mode that counts its rows. */
  private static GlobalTensor head(GlobalTensor whole, int along, I32 first, I32 count, I32 head, I32 entry) {
    var zero = first.constant(0);
    return whole.from(zero, zero, head, entry).covered(2).covered(3).part(along, first, count);
  }

  /** Threads that copy rows of a swizzled tile: neighbours along the head dimension, so that a warp reads sectors. */
  private Layout threads(int dim, boolean rowsFirst) {
    int along = Math.min(Integer.lowestOneBit(dim), 64) / config.vector();
    int across = config.shape().threads() / along;
    return rowsFirst ? Layout.of(Layout.of(across, along), Layout.of(along, 1))
        : Layout.of(Layout.of(along, 1), Layout.of(across, along));
  }
}
