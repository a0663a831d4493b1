package tilewright.kernels.attention;

import java.util.List;
import java.util.Optional;
import java.util.function.IntFunction;
import java.util.stream.IntStream;
import tilewright.kernel.F32;
import tilewright.kernel.I32;
import tilewright.kernel.Scope;
import tilewright.kernel.Warp;
import tilewright.kernel.atom.MmaAtom;
import tilewright.kernel.collective.attention.Accumulators;
import tilewright.kernel.collective.attention.FragmentRows;
import tilewright.kernel.collective.attention.OnlineSoftmax;
import tilewright.kernel.collective.attention.SharedProbabilities;
import tilewright.kernel.collective.attention.WarpExchange;
import tilewright.kernel.tiled.AccumulatorOperand;
import tilewright.kernel.tiled.Fragment;
import tilewright.kernel.tiled.TiledMma;
import tilewright.kernels.attention.AttentionVariant.Rematerialisation;
import tilewright.layout.Layout;
import tilewright.numerics.ElementType;

/**
 * The two products of attention by {@code mma.sync}, chunk by chunk: S = Q·Kᵀ, and O += P·V with P from registers, or
 * by way of shared memory where warps share rows.
 */
final class AttentionProducts {
  private final Scope k;
  private final I32 thread;
  private final AttentionVariant variant;
  private final AttentionTiling tiling;
  private final SharedTiles tiles;
  private final TiledMma scoring;
  private final TiledMma mixing;
  private final Accumulators scores;
  private final Accumulators output;
  private final List<Fragment> sums;
  private final Optional<SharedProbabilities> sharedP;
  private final Optional<BlockScales.OfTile> scales;
  private Optional<List<Fragment>> queries = Optional.empty();
  private Fragment s;
  private IntFunction<Fragment> p;

  AttentionProducts(Scope k, I32 thread, AttentionVariant variant, SharedTiles tiles,
      Optional<BlockScales.OfTile> scales) {
    this.k = k;
    this.thread = thread;
    this.variant = variant;
    this.tiling = variant.tiling();
    this.tiles = tiles;
    this.scales = scales;
    scoring = TiledMma.of(MmaAtom.of(variant.type(), tiling.scoreType()), tiling.scores());
    mixing = TiledMma.of(MmaAtom.of(variant.probabilities(), variant.type(), tiling.outputType()),
        tiling.output(variant.accesses().order()));
    scores = new Accumulators(tiling.scoreType(), rows(scoring));
    output = new Accumulators(tiling.outputType(), rows(mixing));
    sums = IntStream.range(0, tiling.valueChunks()).mapToObj(_ -> mixing.accumulators(k)).toList();
    sharedP = variant.sharedP(k).map(tile -> new SharedProbabilities(k, scoring, mixing, tile));
  }

  private FragmentRows rows(TiledMma product) {
    return tiling.warpsN() == 1 ? FragmentRows.of(product.accumulatorPartition())
        : FragmentRows.overWarps(product.accumulatorPartition());
  }

  FragmentRows rowsOfScores() {
    return scores.rows();
  }

  FragmentRows rowsOfOutput() {
    return output.rows();
  }

  /** The reduction of a row's parts: over the lanes of a warp, or over the warps that share the row. */
  OnlineSoftmax.Combination combination() {
    if (tiling.warpsN() == 1) return (perRow, operation) -> scores.rows().acrossLanes(k, perRow, operation);
    var numbers = k.shared(ElementType.F32, Layout.columnMajor(tiling.tileM(), tiling.warpsN()));
    return new WarpExchange(k, scores.rows(), thread, t -> t.dividedBy(Warp.SIZE * tiling.warpsM()), numbers);
  }

  /** Loads Q to registers, where it stays. */
  void holdQueries() {
    queries = Optional.of(slices(scoring, slice -> loadQueries(thread, slice, k.constant(0))));
  }

  private static List<Fragment> slices(TiledMma product, IntFunction<Fragment> each) {
    return IntStream.range(0, product.slices()).mapToObj(each).toList();
  }

  private Fragment loadQueries(I32 thread, int slice, I32 stage) {
    var fragment = scoring.fragmentA(k);
    scoring.loadA(k, thread, tiles.q(), stage, slice, fragment);
    return fragment;
  }

  /** S += Q·Kᵀ over a chunk of the head dimension; S begins anew with the first one. */
  void score(KeyValueTiles.Step step) {
    if (step.chunk() == 0) s = scoring.accumulators(k);
    // Addresses are computed anew for each tile: held through the loop, they would be spilled.
    var here = variant.rematerialisation().forKeys(k, thread, tiling).settled();
    var instructions = scales.map(all -> all.scores(step.stage())).orElse(_ -> instruction(scoring));
    for (int slice = 0; slice < scoring.slices(); slice++) {
      int at = slice;
      var a = queries.map(all -> all.get(at))
          .orElseGet(() -> loadQueries(holdsAddressesOfQueries() ? thread : here, at, step.queryStage()));
      scoring.multiply(k, here, a, tiles.k(), step.stage(), slice, s, instructions.apply(slice));
    }
  }

  private TiledMma.Multiply instruction(TiledMma product) {
    return variant.converts() ? product.converted() : product.plain();
  }

  private boolean holdsAddressesOfQueries() {
    return switch (variant.rematerialisation()) {
      case NONE, KEYS -> variant.tuned();
      default -> false;
    };
  }

  /** The thread's values of S. */
  List<F32> scores() {
    return scores.values(k, s);
  }

  /** Multiplies O by the factors of its rows, and makes P an operand. */
  void accept(OnlineSoftmax softmax, OnlineSoftmax.Step step) {
    if (variant.conditionalRescale()) softmax.rescale(step, output.rows(), sums.getFirst());
    else sums.forEach(chunk -> output.scale(k, chunk, step.factors()));
    if (sharedP.isPresent()) {
      sharedP.get().store(thread.settled(), k.constant(0), step.weights());
      return;
    }
    var operand = AccumulatorOperand.of(scoring, mixing);
    IntFunction<Fragment> rounded = slice -> operand.slice(k, step.weights(), slice);
    boolean oneByOne = variant.tuned() && variant.rematerialisation() == Rematerialisation.NONE;
    p = oneByOne ? rounded : slices(mixing, rounded)::get;
  }

  /** O += P·V for a chunk of O's columns and of keys. */
  void mix(KeyValueTiles.Step step) {
    var here = variant.rematerialisation().forValues(k, thread, tiling).settled();
    int chunks = tiling.keyChunks();
    // P of all keys stays in registers for the next columns, that of a chunk of keys only for its own.
    if (chunks > 1) {
      sharedP.ifPresent(all -> p = slice -> all.load(here, k.constant(0), slice));
    } else if (step.chunk() == 0) {
      sharedP.ifPresent(all -> p = slices(mixing, slice -> all.load(thread, k.constant(0), slice))::get);
    }
    var instructions = scales.map(all -> all.output(step.stage())).orElse(_ -> instruction(mixing));
    int slices = mixing.slices() / chunks;
    for (int slice = 0; slice < slices; slice++) {
      mixing.multiply(k, here, p.apply(step.chunk() % chunks * slices + slice), tiles.v(), step.stage(), slice,
          sums.get(step.chunk() / chunks), instructions.apply(slice));
    }
  }

  /** The thread's values of a chunk of O. */
  List<F32> output(int chunk) {
    return output.values(k, sums.get(chunk));
  }
}
