package tilewright.sm90;

import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import tilewright.kernels.GemmProblem;
import tilewright.kernels.choice.Correction;
import tilewright.kernels.choice.Formula;
import tilewright.kernels.choice.FormulaBatches;

/**
 * The expected times of all tiles for a problem. The model's are computed together; the trees that correct them are
 * asked only about tiles that may still be the fastest.
 */
final class TileCosts {
  private static final List<GemmTile> TILES = GemmTiles.ALL;
  private static final FormulaBatches TIMES = new FormulaBatches(
      List.of("M", "N", "K", "L", "A_s", "B_s", "A_b", "B_b", "C_b", "D_b"),
      TILES.stream().map(tile -> tile.cost(ElementBytes.NAMED, GemmExtents.NAMED)).toList());
  private static final Correction CORRECTION = CostCorrection.FITTED;

  private final GemmProblem problem;
  private final ElementBytes bytes;
  private final GemmExtents extents;
  private final boolean corrects;
  private final double[] times;

  TileCosts(GemmProblem problem) {
    this.problem = problem;
    var types = problem.types();
    bytes = ElementBytes.of(types);
    extents = GemmExtents.of(problem);
    corrects = CostCorrection.knows(types);
    times = TIMES.values(problem.m(), problem.n(), problem.k(), problem.batch(), extents.strideA().value(),
        extents.strideB().value(), bytes.a().value(), bytes.b().value(), bytes.output().value(),
        bytes.accumulator().value());
  }

  /** The tile with the least expected time of those that are allowed and that the problem can have. */
  Optional<GemmTile> least(Predicate<GemmTile> allowed) {
    var left = times.clone();
    var best = Optional.<GemmTile>empty();
    double least = Double.POSITIVE_INFINITY;
    while (true) {
      int next = 0;
      for (int i = 1; i < left.length; i++) if (left[i] < left[next]) next = i;
      // Of tiles that cost the same the first is chosen, wherever that is computed.
      if (left[next] * CORRECTION.leastFactor() >= least) break;
      var tile = TILES.get(next);
      if (tile.takes(problem)) {
        double corrected = corrected(next);
        if (corrected < least && allowed.test(tile)) {
          least = corrected;
          best = Optional.of(tile);
        }
      }
      left[next] = Double.POSITIVE_INFINITY;
    }
    // Without rows or columns no time is a number.
    return best.or(() -> ascending().filter(allowed).findFirst());
  }

  /** All tiles that the problem can have, the one with the least expected time first. */
  Stream<GemmTile> ascending() {
    record Costed(GemmTile tile, double microseconds) {}

    return IntStream.range(0, times.length).filter(i -> TILES.get(i).takes(problem))
        .mapToObj(i -> new Costed(TILES.get(i), corrected(i)))
        .sorted(Comparator.comparingDouble(Costed::microseconds)).map(Costed::tile);
  }

  private double corrected(int tile) {
    if (!corrects) return times[tile];
    var features = TILES.get(tile).features(bytes, extents, Formula.of(times[tile]));
    var values = new double[features.size()];
    for (int i = 0; i < values.length; i++) values[i] = features.get(i).value();
    return times[tile] * CORRECTION.factor(values);
  }
}
