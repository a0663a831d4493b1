package tilewright.sm90.attention.backward;

import tilewright.kernel.GlobalTensor;
import tilewright.kernel.I32;
import tilewright.kernel.Scope;
import tilewright.kernel.SharedTensor;
import tilewright.kernel.collective.attention.FragmentRows;
import tilewright.async.atom.Warpgroup;
import tilewright.kernel.tiled.Fragment;
import tilewright.layout.Layout;
import tilewright.sm90.atom.WgmmaAtom;
import tilewright.sm90.collective.TiledWgmma;

/**
 * A block's part of dQ = dS·K, which warpgroups share by rows, or by columns as dQᵀ = Kᵀ·dSᵀ. Threads add what they
 * have to the tile's accumulators in memory, four numbers at a time, side by side with their neighbours: the order of a
 * tile's accumulators is that of the warpgroups' registers.
 */
final class QueryGradient {
  private static final int QUAD = 4;

  private final Sm90BackwardConfig config;
  private final TiledWgmma product;

  QueryGradient(Sm90BackwardConfig config) {
    this.config = config;
    int groups = config.shape().consumers();
    product = config.shape().transposedQueryGradient()
        ? TiledWgmma.of(config.type(), config.transposedK(), config.layoutDS(), groups)
        : TiledWgmma.of(config.type(), config.layoutDS(), config.transposedK(), groups);
  }

  /** The thread's accumulators, undefined. */
  Fragment accumulators(Scope k) {
    return product.undefinedAccumulators(k);
  }

  /** Begins the multiplications with a stage of dS; a fence comes before, and a commit follows. */
  void issue(Scope k, I32 group, SharedTensor key, SharedTensor dS, I32 stage, Fragment accumulators) {
    var zero = k.constant(0);
    if (config.shape().transposedQueryGradient()) {
      product.issue(k, group, key, zero, dS, stage, accumulators, false);
    } else {
      product.issue(k, group, dS, stage, key, zero, accumulators, false);
    }
  }

  /**
   * Adds the accumulators to memory.
   *
   * @param sums a tile's, (elements)
   */
  void add(Scope k, I32 lane, I32 group, Fragment accumulators, GlobalTensor sums, I32... slot) {
    var quads = accumulators.groups();
    var first = group.times(quads.size() * Warpgroup.SIZE * QUAD).plus(lane.times(QUAD));
    for (int quad = 0; quad < quads.size(); quad++) {
      sums.at(first.plus(quad * Warpgroup.SIZE * QUAD), slot[0], slot[1])
          .atomicAdd(quads.get(quad).stream().map(k::result).toList());
    }
  }

  /** Place among a tile's accumulators → column-major index in the tile (queries, D). */
  Layout order() {
    var shape = config.shape();
    boolean transposed = shape.transposedQueryGradient();
    int columns = transposed ? shape.queries() : shape.headDim();
    int rows = transposed ? shape.headDim() : shape.queries();
    // A piece's rows and columns in the tile.
    var steps = transposed ? Layout.of(rowsOf(shape.queries()), Layout.of(columns, 1))
        : Layout.of(rowsOf(1), Layout.of(columns, shape.queries()));
    var held = steps.composition(new WgmmaAtom(config.type(), columns).accumulator());
    int quads = WgmmaAtom.M * columns / (Warpgroup.SIZE * QUAD);
    var values = held.mode(1);
    return Layout.of(values.composition(Layout.of(QUAD, 1)), held.mode(0), values.composition(Layout.of(quads, QUAD)),
        Layout.of(rows / WgmmaAtom.M, (long) WgmmaAtom.M * (transposed ? shape.queries() : 1)));
  }

  private static Layout rowsOf(long stride) {
    return Layout.of(WgmmaAtom.M, stride);
  }
}
