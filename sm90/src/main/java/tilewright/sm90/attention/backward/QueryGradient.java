package tilewright.sm90.attention.backward;

import tilewright.async.atom.Warpgroup;
import tilewright.kernel.GlobalTensor;
import tilewright.kernel.I32;
import tilewright.kernel.Partition;
import tilewright.kernel.Scope;
import tilewright.kernel.SharedTensor;
import tilewright.kernel.tiled.Fragment;
import tilewright.layout.Layout;
import tilewright.sm90.atom.WgmmaAtom;
import tilewright.sm90.collective.TiledWgmma;

/**
 * A block's part of dQ = dS·K, which warpgroups share by rows, or by columns where there are too few rows. Threads add
 * their accumulators to the tile's in memory, four numbers at a time, side by side with their neighbours: the
 * order of a tile's accumulators is that of the warpgroups' registers.
 */
final class QueryGradient {
  private static final int QUAD = 4;

  private final Sm90BackwardConfig config;
  private final TiledWgmma gemm;

  QueryGradient(Sm90BackwardConfig config) {
    this.config = config;
    int groups = config.shape().consumers();
    gemm = byRows() ? TiledWgmma.of(config.type(), config.layoutDS(), config.transposedK(), groups)
        : TiledWgmma.alongColumns(atom(), config.layoutDS(), config.transposedK(), groups);
  }

  private boolean byRows() {
    return config.shape().queries() % (config.shape().consumers() * WgmmaAtom.M) == 0;
  }

  /** The thread's accumulators, undefined. */
  Fragment accumulators(Scope k) {
    return gemm.undefinedAccumulators(k);
  }

  /** Begins the multiplications with a stage of dS; a fence comes before, and a commit follows. */
  void issue(Scope k, I32 group, SharedTensor dS, I32 stage, SharedTensor key, Fragment accumulators) {
    gemm.issue(k, group, dS, stage, key, k.constant(0), accumulators, false);
  }

  /**
   * Adds the accumulators to memory.
   *
   * @param destination a tile's accumulators, (elements, 1, 1)
   */
  void add(Scope k, I32 lane, I32 group, Fragment accumulators, GlobalTensor destination) {
    var quads = accumulators.groups();
    var zero = k.constant(0);
    var runs = Partition.runs(Warpgroup.SIZE, QUAD, quads.size());
    for (int quad = 0; quad < quads.size(); quad++) {
      destination.at(group.times(runs.size()).plus(runs.coordinate(lane, quad * QUAD)[0]), zero, zero)
          .atomicAdd(quads.get(quad).stream().map(k::result).toList());
    }
  }

  private WgmmaAtom atom() {
    int dim = config.shape().headDim();
    return byRows() ? new WgmmaAtom(config.type(), dim) : config.atomOfShare(dim);
  }

  /** Place among a tile's accumulators → column-major index in the tile (queries, D). */
  Layout order() {
    var shape = config.shape();
    int groups = shape.consumers();
    int width = atom().columns();
    int share = byRows() ? shape.headDim() : shape.headDim() / groups;
    int blocks = shape.queries() / WgmmaAtom.M / (byRows() ? groups : 1);
    long step = shape.queries();
    var held = Layout.of(Layout.of(WgmmaAtom.M, 1), Layout.of(width, step)).composition(atom().accumulator());
    int quads = WgmmaAtom.M * width / (Warpgroup.SIZE * QUAD);
    var values = held.mode(1);
    var ofPiece = Layout.of(values.composition(Layout.of(QUAD, 1)), held.mode(0),
        values.composition(Layout.of(quads, QUAD)));
    return Layout.of(ofPiece, Layout.of(share / width, width * step), Layout.of(blocks, WgmmaAtom.M),
        Layout.of(groups, byRows() ? (long) blocks * WgmmaAtom.M : share * step));
  }
}
