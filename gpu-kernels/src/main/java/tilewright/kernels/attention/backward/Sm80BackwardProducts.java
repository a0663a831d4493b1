package tilewright.kernels.attention.backward;

import java.util.List;
import java.util.function.Function;
import tilewright.kernel.F32;
import tilewright.kernel.I32;
import tilewright.kernel.Scope;
import tilewright.kernel.SharedTensor;
import tilewright.kernel.atom.Shuffle;
import tilewright.kernel.collective.attention.FragmentRows;
import tilewright.kernel.tiled.Fragment;
import tilewright.kernel.tiled.TiledMma;

/** The five GEMMs of a tile by {@code mma.sync}; P and dS pass through shared memory. */
final class Sm80BackwardProducts {
  private final Scope k;
  private final I32 thread;
  private final Sm80BackwardConfig.Shape shape;
  private final Sm80BackwardTiles tiles;
  private final TiledMma gemmOfS;
  private final TiledMma gemmOfDP;
  private final TiledMma gemmOfDV;
  private final TiledMma gemmOfDK;
  private final TiledMma gemmOfDQ;
  private final FragmentRows rows;
  private final Fragment dK;
  private final Fragment dV;

  Sm80BackwardProducts(Scope k, I32 thread, Sm80BackwardConfig config, Sm80BackwardTiles tiles) {
    this.k = k;
    this.thread = thread;
    this.tiles = tiles;
    shape = config.shape();
    gemmOfS = config.scores();
    gemmOfDP = config.probabilityGradient();
    gemmOfDV = config.valueGradient();
    gemmOfDK = config.keyGradient();
    gemmOfDQ = config.queryGradient();
    rows = FragmentRows.overWarps(gemmOfS.accumulatorPartition());
    dK = gemmOfDK.accumulators(k);
    dV = gemmOfDV.accumulators(k);
  }

  /** The rows of S and dP, which are laid out alike. */
  FragmentRows rows() {
    return rows;
  }

  /** A number of each of the thread's rows of S, given the tile's row. */
  List<F32> perRow(I32 thread, Function<I32, F32> number) {
    return rows.perRow(row -> number.apply(rows.row(thread, row)));
  }

  /** S = Q·Kᵀ. */
  Fragment scores(I32 stage) {
    var scores = gemmOfS.accumulators(k);
    var here = shape.addressesAnew() ? Shuffle.own(k, thread, shape.threads() - 1) : thread.settled();
    multiply(here, gemmOfS, tiles.q(), stage, tiles.key(), k.constant(0), shape.tileD(), scores);
    return scores;
  }

  /** dP − D = dO·Vᵀ − D: the sum begins with −D. */
  List<F32> probabilityGradients(I32 stage, List<F32> sums) {
    var dP = gemmOfDP.accumulators(k);
    rows.set(k, dP, rows.withRows(rows.values(k, dP), sums, (_, sum) -> sum.negated()));
    multiply(gemmOfDP, tiles.dO(), stage, tiles.value(), k.constant(0), shape.tileDv(), dP);
    return rows.values(k, dP);
  }

  /** Rounds P or dS to a tile in shared memory. */
  void store(List<F32> values, SharedTensor tile) {
    store(gemmOfS, values, tile);
  }

  /** dV += Pᵀ·dO. */
  void addToValueGradients(I32 stage) {
    multiply(gemmOfDV, Sm80BackwardTiles.transposed(tiles.p()), k.constant(0),
        Sm80BackwardTiles.transposed(tiles.dO()), stage, shape.tileM(), dV);
  }

  /** dK += dSᵀ·Q. */
  void addToKeyGradients(I32 stage) {
    multiply(gemmOfDK, Sm80BackwardTiles.transposed(tiles.dS()), k.constant(0),
        Sm80BackwardTiles.transposed(tiles.q()), stage, shape.tileM(), dK);
  }

  /** dQ = dS·K: the thread's values, in the order of {@link Sm80BackwardConfig#queryGradient}. */
  List<F32> queryGradients() {
    var dQ = gemmOfDQ.accumulators(k);
    multiply(gemmOfDQ, tiles.dS(), k.constant(0), Sm80BackwardTiles.transposed(tiles.key()), k.constant(0),
        shape.tileN(), dQ);
    return dQ.registers().stream().map(k::result).toList();
  }

  /** Rounds dK, times the scale, into the place of K. */
  void stageKeyGradients(F32 scale) {
    store(gemmOfDK, dK.registers().stream().map(r -> k.result(r).times(scale)).toList(), tiles.key());
  }

  /** Rounds dV into the place of V. */
  void stageValueGradients() {
    store(gemmOfDV, dV.registers().stream().map(k::result).toList(), tiles.value());
  }

  private void store(TiledMma mma, List<F32> values, SharedTensor tile) {
    var partition = mma.accumulatorPartition();
    var here = thread.settled();
    for (int v = 0; v < partition.values(); v += 2) {
      var place = partition.coordinate(here, v);
      tile.at(place[0], place[1], k.constant(0)).store(values.get(v), values.get(v + 1));
    }
  }

  private void multiply(TiledMma mma, SharedTensor a, I32 stageOfA, SharedTensor b, I32 stageOfB, int depth,
      Fragment result) {
    // Addresses are computed anew for each product: held through the loop, they would be spilled.
    multiply(thread.settled(), mma, a, stageOfA, b, stageOfB, depth, result);
  }

  private void multiply(I32 here, TiledMma mma, SharedTensor a, I32 stageOfA, SharedTensor b, I32 stageOfB, int depth,
      Fragment result) {
    for (int slice = 0; slice < TiledMma.slices(depth); slice++) {
      var fragment = mma.fragmentA(k);
      mma.loadA(k, here, a, stageOfA, slice, fragment);
      mma.multiply(k, here, fragment, b, stageOfB, slice, result);
    }
  }
}
