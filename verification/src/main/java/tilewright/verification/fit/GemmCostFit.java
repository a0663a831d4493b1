package tilewright.verification.fit;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.DoubleSummaryStatistics;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.IntStream;
import tilewright.kernels.choice.BoostedTrees;
import tilewright.sm90.Sm90Gemms;
import tools.jackson.databind.json.JsonMapper;

/**
 * Fits the trees that correct the Hopper GEMM's cost model to the times of tiles under docs/benchmarks/gemm:
 *
 * <pre>{@code
 * java -cp ... tilewright.verification.fit.GemmCostFit gemm-cost.trees tiles-h100.json sweep-h100.json
 *     sweep-h200.json candidates-h200.json sweep2-h200.json tails-h200.json tails2-h200.json
 * }</pre>
 *
 * It first prints how much slower chosen tiles are than the fastest ones, as the model chooses and as trees do that
 * were fitted to the other shapes.
 */
public final class GemmCostFit {
  private static final TreeFit FIT = new TreeFit(120, 6, 0.15, 0.7, 0.8, 3, 3);
  private static final int FOLDS = 5;
  /** How much less a time counts for being slower than the fastest: half for a quarter. */
  private static final double DISREGARD = 3;
  /** Slower tiles are not looked at. */
  private static final double SLOWEST = 3;

  private GemmCostFit() {}

  /** A timed tile of a shape. */
  private record Timed(int shape, double time, double expected, double slower, double[] features) {
    TreeFit.Example example() {
      return new TreeFit.Example(features, StrictMath.log(time / expected), StrictMath.exp(-DISREGARD * (slower - 1)), shape);
    }

    double corrected(BoostedTrees trees) {
      return expected * Sm90Gemms.correction().with(trees).factor(features);
    }
  }

  /** @param args the file to write, and records to read */
  public static void main(String[] args) throws IOException {
    var sources = new ArrayList<String>();
    var shapes = new ArrayList<TimedTiles>();
    for (var record : List.of(args).subList(1, args.length)) {
      var read = read(Path.of(record));
      shapes.addAll(read);
      sources.addAll(Collections.nCopies(read.size(), Path.of(record).getFileName().toString()));
    }
    var timed = timed(shapes);
    var none = new BoostedTrees(0, List.of());
    report("the model", shapes, sources, timed, IntStream.range(0, FOLDS).mapToObj(_ -> none).toList());
    report("trees fitted to other shapes", shapes, sources, timed, IntStream.range(0, FOLDS).mapToObj(fold ->
        fit(timed.stream().filter(t -> fold(shapes.get(t.shape)) != fold).toList())).toList());
    Files.write(Path.of(args[0]), fit(timed).bytes());
  }

  static List<TimedTiles> read(Path record) throws IOException {
    return JsonMapper.shared().readTree(Files.readString(record)).get("rows").valueStream().map(TimedTiles::of)
        .toList();
  }

  /** Fits trees to shapes. */
  static BoostedTrees trees(List<TimedTiles> shapes) {
    return fit(timed(shapes));
  }

  private static BoostedTrees fit(List<Timed> timed) {
    return FIT.fit(timed.stream().filter(t -> t.slower <= SLOWEST).map(Timed::example).toList());
  }

  /** The part of the shapes that one belongs to. */
  private static int fold(TimedTiles shape) {
    return Math.floorMod(shape.extents().hashCode() * 0x9E3779B9 >>> 16, FOLDS);
  }

  /** The tiles that the kernel has and whose times are corrected. */
  private static List<Timed> timed(List<TimedTiles> shapes) {
    var kinds = new HashMap<List<Object>, ExpectedTimes>();
    var all = new ArrayList<Timed>();
    for (int i = 0; i < shapes.size(); i++) {
      var shape = shapes.get(i);
      var problem = shape.problem();
      var expected = kinds.computeIfAbsent(List.of(problem.types(), shape.order()), _ -> new ExpectedTimes(problem));
      if (!expected.areCorrected()) continue;
      var tiles = expected.of(problem);
      var times = shape.only(tiles.keySet()).times();
      for (var tile : times.keySet().stream().sorted().toList()) {
        var e = tiles.get(tile);
        all.add(new Timed(i, times.get(tile), e.microseconds(), times.get(tile) / shape.fastest(), e.features()));
      }
    }
    return all;
  }

  /** Prints the regret of choosing by trees, one of them for each fold. */
  private static void report(String what, List<TimedTiles> shapes, List<String> sources, List<Timed> timed,
      List<BoostedTrees> trees) {
    var byShape = new HashMap<Integer, List<Timed>>();
    for (var t : timed) byShape.computeIfAbsent(t.shape, _ -> new ArrayList<>()).add(t);
    Map<String, DoubleSummaryStatistics> regrets = new TreeMap<>();
    byShape.forEach((shape, tiles) -> {
      var fitted = trees.get(fold(shapes.get(shape)));
      double fastest = tiles.stream().mapToDouble(Timed::time).min().orElseThrow();
      var chosen = tiles.stream().min((a, b) -> Double.compare(a.corrected(fitted), b.corrected(fitted))).orElseThrow();
      int m = shapes.get(shape).problem().m();
      for (var group : List.of(sources.get(shape), sources.get(shape) + " " + shapes.get(shape).order(),
          sources.get(shape) + (m <= 64 ? " M up to 64" : m < 512 ? " M up to 511" : " M from 512 on"))) {
        regrets.computeIfAbsent(group, _ -> new DoubleSummaryStatistics()).accept(chosen.time / fastest);
      }
    });
    System.out.println("Time of the tile that " + what + " would choose, over that of the fastest:");
    regrets.forEach((group, r) -> System.out.println(String.format(Locale.ROOT, "  %-36s mean %.4f, worst %.2f, shapes %d",
        group, r.getAverage(), r.getMax(), r.getCount())));
  }
}
