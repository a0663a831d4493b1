package tilewright.kernels.attention.variants;

import java.util.List;
import java.util.Optional;
import java.util.function.IntFunction;
import java.util.stream.IntStream;
import tilewright.kernel.F32;
import tilewright.kernel.I32;
import tilewright.kernel.Scope;
import tilewright.kernel.SharedTensor;
import tilewright.kernel.atom.MmaAtom;
import tilewright.kernel.collective.attention.Accumulators;
import tilewright.kernel.collective.attention.FragmentRows;
import tilewright.kernel.collective.attention.OnlineSoftmax;
import tilewright.kernel.collective.attention.WarpExchange;
import tilewright.kernel.tiled.AccumulatorOperand;
import tilewright.kernel.tiled.Fragment;
import tilewright.kernel.tiled.TiledMma;
import tilewright.layout.Layout;
import tilewright.numerics.ElementType;

/** The two products chunk by chunk, with weights in registers, or by way of shared memory where warps share rows. */
final class VariantProducts {
  private final Scope k;
  private final I32 thread;
  private final VariantConfig config;
  private final VariantTiles tiles;
  private final TiledMma scoring;
  private final TiledMma mixing;
  private final Accumulators scores;
  private final Accumulators output;
  private final List<Fragment> sums;
  private final Optional<SharedTensor> sharedWeights;
  private Optional<List<Fragment>> queries = Optional.empty();
  private List<Fragment> weights = List.of();
  private Fragment products;

  VariantProducts(Scope k, I32 thread, VariantConfig config, VariantTiles tiles) {
    this.k = k;
    this.thread = thread;
    this.config = config;
    this.tiles = tiles;
    var atom = MmaAtom.of(config.type(), config.accumulator());
    scoring = TiledMma.of(atom, config.scores());
    mixing = TiledMma.of(atom, config.output());
    scores = new Accumulators(config.accumulator(), rows(scoring));
    output = new Accumulators(config.accumulator(), rows(mixing));
    sums = IntStream.range(0, config.dim() / config.chunkOfOutput()).mapToObj(_ -> mixing.accumulators(k)).toList();
    sharedWeights = config.warpsN() == 1 ? Optional.empty()
        : Optional.of(k.shared(config.type(), config.alongColumns("q", config.tileM(), config.tileN(), 1)));
    products = scoring.accumulators(k);
  }

  private FragmentRows rows(TiledMma product) {
    return config.warpsN() == 1 ? FragmentRows.of(product.accumulatorPartition())
        : FragmentRows.overWarps(product.accumulatorPartition());
  }

  FragmentRows rowsOfScores() {
    return scores.rows();
  }

  FragmentRows rowsOfOutput() {
    return output.rows();
  }

  /** How a row's parts come together: over the lanes of a warp, or over the warps that share the row. */
  OnlineSoftmax.Combination combination() {
    if (config.warpsN() == 1) return (perRow, operation) -> scores.rows().acrossLanes(k, perRow, operation);
    var numbers = k.shared(ElementType.F32, Layout.columnMajor(config.tileM(), config.warpsN()));
    return new WarpExchange(k, scores.rows(), thread, thread.dividedBy(32 * config.warpsM()), numbers);
  }

  /** Takes the queries into registers. */
  void holdQueries() {
    queries = Optional.of(slices(config.chunkOfScores(), slice -> loadQueries(thread, slice, 0)));
  }

  private static List<Fragment> slices(int extent, IntFunction<Fragment> each) {
    return IntStream.range(0, TiledMma.slices(extent)).mapToObj(each).toList();
  }

  private Fragment loadQueries(I32 thread, int slice, int stage) {
    var fragment = scoring.fragmentA(k);
    scoring.loadA(k, thread, tiles.queries(), k.constant(stage), slice, fragment);
    return fragment;
  }

  /** S += Q·Kᵀ over a chunk; S begins anew with the first one. */
  void score(VariantTiles.Step step) {
    // Addresses are computed anew for each tile: held through the loop, they would be spilled.
    var thread = this.thread.settled();
    if (step.chunk() == 0) products.clear(k, scoring.accumulatorType());
    for (int slice = 0; slice < TiledMma.slices(config.chunkOfScores()); slice++) {
      int at = slice;
      var a = queries.map(all -> all.get(at)).orElseGet(() -> loadQueries(thread, at, step.stage()));
      scoring.multiply(k, thread, a, tiles.keys(), k.constant(step.stage()), slice, products);
    }
  }

  List<F32> scores() {
    return scores.values(k, products);
  }

  /** Multiplies the output so far by rows' factors, and rounds weights for the next product. */
  void weigh(OnlineSoftmax.Step step) {
    sums.forEach(chunk -> output.scale(k, chunk, step.factors()));
    if (sharedWeights.isPresent()) {
      var partition = scoring.accumulatorPartition();
      for (int v = 0; v < partition.values(); v += 2) {
        var place = partition.coordinate(thread, v);
        sharedWeights.get().at(place[0], place[1], k.constant(0)).store(step.weights().get(v),
            step.weights().get(v + 1));
      }
    } else {
      var operand = AccumulatorOperand.of(scoring, config.type());
      weights = slices(config.tileN(), slice -> operand.slice(k, step.weights(), slice));
    }
  }

  /** A chunk of O += P·V. */
  void mix(VariantTiles.Step step) {
    if (step.chunk() == 0) sharedWeights.ifPresent(tile -> weights = slices(config.tileN(), slice -> {
      var fragment = mixing.fragmentA(k);
      mixing.loadA(k, thread, tile, k.constant(0), slice, fragment);
      return fragment;
    }));
    var thread = this.thread.settled();
    for (int slice = 0; slice < weights.size(); slice++) {
      mixing.multiply(k, thread, weights.get(slice), tiles.values(), k.constant(step.stage()), slice,
          sums.get(step.chunk()));
    }
  }

  /** The sums of each chunk of O. */
  List<F32> sums(int chunk) {
    return output.values(k, sums.get(chunk));
  }
}
