package tilewright.kernels.attention;

import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;
import tilewright.kernel.F32;
import tilewright.kernel.I32;
import tilewright.kernel.Scope;
import tilewright.kernel.SharedTensor;
import tilewright.kernel.atom.MmaAtom;
import tilewright.kernel.collective.attention.FragmentRows;
import tilewright.kernel.tiled.AccumulatorOperand;
import tilewright.kernel.tiled.Fragment;
import tilewright.kernel.tiled.TiledMma;
import tilewright.numerics.ElementType;

/** The two products of attention by {@code mma.sync}: S = Q·Kᵀ, and O += P·V with P from registers. */
final class AttentionProducts {
  private final Scope k;
  private final I32 thread;
  private final Sm80AttentionConfig.Shape shape;
  private final SharedTensor tileQ;
  private final TiledMma scores;
  private final TiledMma output;
  private final AccumulatorOperand weights;
  private final Fragment sums;
  private Optional<List<Fragment>> queries = Optional.empty();

  AttentionProducts(Scope k, I32 thread, Sm80AttentionConfig config, SharedTensor tileQ) {
    this.k = k;
    this.thread = thread;
    this.shape = config.shape();
    this.tileQ = tileQ;
    var atom = MmaAtom.of(config.type(), ElementType.F32);
    scores = TiledMma.of(atom, shape.scores());
    output = TiledMma.of(atom, shape.output());
    weights = AccumulatorOperand.of(scores, config.type());
    sums = output.accumulators(k);
  }

  FragmentRows rowsOfScores() {
    return FragmentRows.of(scores.accumulatorPartition());
  }

  FragmentRows rowsOfOutput() {
    return FragmentRows.of(output.accumulatorPartition());
  }

  /** O so far. */
  Fragment sums() {
    return sums;
  }

  /** Takes the queries into registers, where they stay. */
  void holdQueries() {
    queries = Optional.of(IntStream.range(0, TiledMma.slices(shape.tileD())).mapToObj(this::loadQueries).toList());
  }

  private Fragment loadQueries(int slice) {
    var fragment = scores.fragmentA(k);
    scores.loadA(k, thread, tileQ, k.constant(0), slice, fragment);
    return fragment;
  }

  /** Q·Kᵀ for a tile of keys. */
  List<F32> scores(SharedTensor keys, I32 stage) {
    var products = scores.accumulators(k);
    // Addresses are computed anew for each tile: held through the loop, they would be spilled.
    var thread = this.thread.settled();
    for (int slice = 0; slice < TiledMma.slices(shape.tileD()); slice++) {
      int at = slice;
      var a = queries.map(all -> all.get(at)).orElseGet(() -> loadQueries(at));
      scores.multiply(k, thread, a, keys, stage, slice, products);
    }
    return rowsOfScores().values(k, products);
  }

  /** O += P·V for a tile of values. */
  void mix(List<F32> p, SharedTensor values, I32 stage) {
    var thread = this.thread.settled();
    for (int slice = 0; slice < TiledMma.slices(shape.tileN()); slice++) {
      output.multiply(k, thread, weights.slice(k, p, slice), values, stage, slice, sums);
    }
  }
}
