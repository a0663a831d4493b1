package tilewright.verification;

import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * One measured run, as it is kept in the documentation.
 *
 * @param date ISO date
 * @param driver the newest CUDA that the driver supports
 * @param versions of the libraries behind the peers
 */
public record BenchmarkRecord(String date, String gpu, String driver, Map<String, String> versions, String commit,
    List<Row> rows) {
  public BenchmarkRecord {
    versions = Map.copyOf(versions);
    rows = List.copyOf(rows);
  }

  /**
   * One configuration.
   *
   * @param ours median rate in {@code unit}
   * @param ms median device time of one run
   * @param floor the rate that the chip's data sheet allows, where it is known
   * @param peers rates of others on the same shape in the same run
   * @param ratio ours over the best peer
   */
  public record Row(String kernel, String arch, String config, String unit, double ours, double ms,
      Optional<Double> floor, Map<String, Double> peers, Optional<Double> ratio) {}
}
