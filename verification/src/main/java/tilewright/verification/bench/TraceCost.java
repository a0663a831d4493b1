package tilewright.verification.bench;

import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.Supplier;

/**
 * The time to choose a configuration, trace a kernel and print its PTX, on one thread and without any cache.
 *
 * @param rows one per kernel
 */
public record TraceCost(String date, String processor, String java, String commit, List<Row> rows) {
  private static final int WARMUPS = 5;
  private static final int RUNS = 11;

  public TraceCost {
    rows = List.copyOf(rows);
  }

  /**
   * One kernel.
   *
   * @param lines of its PTX
   * @param firstMs wall time of the first time in this process, after the kernels before it
   * @param medianMs of eleven, after all kernels' first and five more of this one
   */
  public record Row(String kernel, int lines, double firstMs, double medianMs) {}

  /** @param kernels what makes a kernel's PTX, by name, in the order in which they are measured */
  public static TraceCost measure(Map<String, Supplier<String>> kernels, String commit, Consumer<String> progress) {
    var first = new HashMap<String, Double>();
    kernels.forEach((name, ptx) -> first.put(name, milliseconds(ptx)));
    var rows = new ArrayList<Row>();
    kernels.forEach((name, ptx) -> {
      progress.accept(name);
      for (int i = 0; i < WARMUPS; i++) ptx.get();
      var times = new ArrayList<Double>();
      for (int i = 0; i < RUNS; i++) times.add(milliseconds(ptx));
      rows.add(new Row(name, (int) ptx.get().lines().count(), first.get(name), new Sample(times).median()));
    });
    return new TraceCost(LocalDate.now(ZoneOffset.UTC).toString(), Processor.name(), Runtime.version().toString(),
        commit, rows);
  }

  private static double milliseconds(Supplier<String> ptx) {
    long begin = System.nanoTime();
    ptx.get();
    return (System.nanoTime() - begin) * 1e-6;
  }
}
