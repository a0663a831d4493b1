package tilewright.verification.bench;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Times of a matrix product's tiles for some shapes, as docs/benchmarks/gemm keeps them and the cost model is fitted
 * to.
 *
 * @param date ISO date
 * @param arguments of the command that measured them
 */
public record TileTimes(String date, String gpu, String commit, List<String> arguments, List<Row> rows) {
  public TileTimes {
    arguments = List.copyOf(arguments);
    rows = List.copyOf(rows);
  }

  /**
   * A shape.
   *
   * @param order of the operands, such as TN
   * @param peers milliseconds of others' kernels, by name
   * @param chosen the tile that was expected to be fastest
   * @param microseconds of the tiles, the fastest first
   */
  public record Row(int m, int n, int k, String order, String type, Map<String, Double> peers, String chosen,
      Map<String, Double> microseconds) {
    public Row {
      peers = Map.copyOf(peers);
      microseconds = Collections.unmodifiableMap(new LinkedHashMap<>(microseconds));
    }
  }
}
