package tilewright.verification.fit;

import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import tilewright.kernels.Accumulation;
import tilewright.kernels.GemmProblem;
import tilewright.kernels.GemmTypes;
import tilewright.numerics.ElementType;
import tools.jackson.databind.JsonNode;

/**
 * A GEMM and the times of tiles for it, in microseconds.
 *
 * @param order of the operands, such as {@code TN}
 */
record TimedTiles(GemmProblem problem, String order, Map<String, Double> times) {
  /** Returns a row of a record of tiles, such as docs/benchmarks/gemm/sweep-h200.json. */
  static TimedTiles of(JsonNode row) {
    var in = ElementType.valueOf(row.get("type").asString().toUpperCase());
    var out = row.has("out") ? ElementType.valueOf(row.get("out").asString().toUpperCase())
        : GemmTypes.usualOutput(in);
    var accumulation = row.has("accumulation") ? Accumulation.named(row.get("accumulation").asString())
        : Accumulation.FAST;
    var order = row.get("order").asString();
    var problem = GemmProblem.packed(new GemmTypes(in, in, out, accumulation), row.get("m").asInt(),
        row.get("n").asInt(), row.get("k").asInt(), 1, order);
    return new TimedTiles(problem, order, row.get("microseconds").propertyStream()
        .collect(Collectors.toMap(Map.Entry::getKey, entry -> entry.getValue().asDouble())));
  }

  /** Returns this with the times of some tiles only. */
  TimedTiles only(Set<String> tiles) {
    return new TimedTiles(problem, order, times.entrySet().stream().filter(entry -> tiles.contains(entry.getKey()))
        .collect(Collectors.toMap(Map.Entry::getKey, Map.Entry::getValue)));
  }

  double fastest() {
    return times.values().stream().mapToDouble(time -> time).min().orElse(Double.NaN);
  }

  /** The extents, which problems that are drawn twice share. */
  List<Integer> extents() {
    return List.of(problem.m(), problem.n(), problem.k());
  }
}
