package tilewright.kernels.attention.backward;

import java.util.List;
import tilewright.kernel.F32;
import tilewright.kernel.I32;
import tilewright.kernel.Kernel;
import tilewright.kernel.Partition;
import tilewright.kernel.Scope;
import tilewright.kernel.SharedTensor;
import tilewright.kernel.atom.CopyAtom;
import tilewright.kernel.atom.CpAsync;
import tilewright.kernel.atom.ElementCopy;
import tilewright.kernel.tiled.SwizzledTile;
import tilewright.kernel.tiled.TiledCopy;
import tilewright.layout.Layout;
import tilewright.numerics.ElementType;

/**
 * dQ = scale · the accumulators of a tile, rounded to the operands' type (FlashAttention-3, postprocess kernel). A CTA
 * has a tile of queries of one head.
 *
 * @param vector neighbours along the head dimension that an access moves; 1 for any strides
 * @param order place among a tile's accumulators → column-major index in the tile (tileM, tileD)
 * @param packed whether sequences lie one after the other
 */
record BackwardPostprocess(ElementType type, int vector, int tileM, int tileD, Layout order, boolean packed)
    implements Kernel {
  private static final int THREADS = 128;
  private static final int QUAD = 4;

  @Override
  public String name() {
    return "attention_backward_postprocess_" + type.text() + "_d" + tileD;
  }

  @Override
  public void trace(Scope k) {
    var thread = k.block(THREADS);
    var dQ = k.global(BackwardPreprocess.rows("dQ", type, vector));
    var tiles = QueryTiles.of(k, tileM, dQ.extent(0), packed);
    var accumulators = k.global(GradientWorkspace.accumulators(tileM, tileD));
    var scale = k.scalar("scale");
    var zero = k.constant(0);
    var head = k.blockY();
    var slot = k.blockX();
    k.leave(dQ.extent(2).times(dQ.extent(3)).times(dQ.extent(0)).lessThan(1));
    var tile = tiles.tile(slot, head);
    var sequence = tiles.rows(tile.batch());

    // 1. Accumulators → registers in the order that they lie in → a tile of shared memory.
    var staging = k.shared(type, SwizzledTile.alongColumns(tileM, tileD, 1));
    var held = held();
    var quads = quads();
    for (int first = 0; first < held.values(); first += QUAD) {
      var values = accumulators.at(quads.coordinate(thread, first)[0], slot, head).load(QUAD);
      for (int pair = 0; pair < QUAD; pair += 2) {
        stage(k, staging, held, thread, first + pair,
            List.of(values.get(pair).times(scale), values.get(pair + 1).times(scale)));
      }
    }
    k.barrier();
    // 2. Shared memory → dQ in wide accesses.
    int along = Math.min(Integer.lowestOneBit(tileD), 64) / vector;
    CopyAtom atom = vector == 1 ? new ElementCopy() : new CpAsync(k, vector, type.bytes());
    var rows = dQ.part(0, sequence.firstQuery(), sequence.queries())
        .from(tile.number().times(tileM), zero, head, packed ? zero : tile.batch());
    TiledCopy.rowMajor(atom, THREADS, along).copyBack(thread, staging, zero, rows, zero, zero);
  }

  /** The accumulators that each thread reads: runs of four, side by side with the other threads'. */
  private Partition quads() {
    return Partition.runs(THREADS, QUAD, tileM * tileD / (THREADS * QUAD));
  }

  /** Their elements of the tile. */
  private Partition held() {
    return Partition.exact(order.composition(quads().layout()), tileM, tileD);
  }

  private void stage(Scope k, SharedTensor staging, Partition held, I32 thread, int value, List<F32> pair) {
    var at = held.coordinate(thread, value);
    var next = held.coordinate(thread, value + 1);
    var zero = k.constant(0);
    var values = held.layout().mode(1);
    if (values.apply(value + 1) - values.apply(value) == tileM) {
      staging.at(at[0], at[1], zero).store(pair.get(0), pair.get(1));
    } else {
      staging.at(at[0], at[1], zero).store(pair.get(0));
      staging.at(next[0], next[1], zero).store(pair.get(1));
    }
  }
}
