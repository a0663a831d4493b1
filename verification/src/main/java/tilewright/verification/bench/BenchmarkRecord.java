package tilewright.verification.bench;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.TreeMap;

/**
 * One measured run, as it is kept in the documentation.
 *
 * @param date ISO date
 * @param driver the newest CUDA that the driver supports
 * @param versions of the libraries behind the peers
 * @param limits what this GPU reached in the same run, by name: {@code copy} in TB/s, arithmetic in TFLOP/s
 * @param warmMs how many milliseconds each side ran before it was timed; 0 for three runs
 */
public record BenchmarkRecord(String date, String gpu, String driver, Map<String, String> versions, String commit,
    Map<String, Double> limits, int warmMs, List<Row> rows) {
  public BenchmarkRecord {
    Objects.requireNonNull(date);
    Objects.requireNonNull(gpu);
    Objects.requireNonNull(driver);
    Objects.requireNonNull(commit);
    versions = Map.copyOf(versions);
    limits = Map.copyOf(limits);
    rows = List.copyOf(rows);
  }

  BenchmarkRecord with(Row row) {
    var more = new ArrayList<>(rows);
    more.add(row);
    return new BenchmarkRecord(date, gpu, driver, versions, commit, limits, warmMs, more);
  }

  /**
   * Joins records of one benchmark that several machines have measured in parts, with the rows in this order. The date
   * is the last one, and the limits are the highest that were reached; each row keeps the floor of its own machine.
   *
   * @throws IllegalArgumentException if they differ in their GPU, commit, driver, libraries or warm-up
   */
  public static BenchmarkRecord joined(List<BenchmarkRecord> parts) {
    var first = parts.getFirst();
    var limits = new TreeMap<String, Double>();
    for (var part : parts) {
      JoinedParts.requireSame("GPU", first.gpu, part.gpu);
      JoinedParts.requireSame("commit", first.commit, part.commit);
      JoinedParts.requireSame("driver", first.driver, part.driver);
      JoinedParts.requireSame("libraries", new TreeMap<>(first.versions), new TreeMap<>(part.versions));
      JoinedParts.requireSame("warm-up in milliseconds", first.warmMs, part.warmMs);
      part.limits.forEach((name, rate) -> limits.merge(name, rate, Math::max));
    }
    return new BenchmarkRecord(JoinedParts.last(parts, BenchmarkRecord::date), first.gpu, first.driver, first.versions,
        first.commit, limits, first.warmMs, parts.stream().flatMap(part -> part.rows.stream()).toList());
  }

  /**
   * One configuration.
   *
   * @param ours median rate in {@code unit}
   * @param ms median device time of one run
   * @param spread the 10th and 90th percentile of the times, in milliseconds
   * @param bytes that one run has to move
   * @param operations that one run has to make; 0 where moving is all
   * @param floor the rate in {@code unit} that the limits allow
   * @param fraction ours over the floor
   * @param peers rates of others on the same shape in the same run
   * @param ratio ours over the best peer, the median of the rounds in which both took a turn
   * @param ratioSpread the 10th and 90th percentile of the rounds' ratios
   */
  public record Row(String kernel, String arch, String config, String unit, double ours, double ms,
      List<Double> spread, long bytes, double operations, Optional<Double> floor, Optional<Double> fraction,
      Map<String, Double> peers, Optional<Double> ratio, Optional<List<Double>> ratioSpread) {
    public Row {
      spread = List.copyOf(spread);
      peers = Map.copyOf(peers);
    }
  }
}
