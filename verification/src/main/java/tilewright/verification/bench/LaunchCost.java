package tilewright.verification.bench;

import java.lang.management.ManagementFactory;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.Arrays;
import java.util.Map;
import tilewright.device.Gpu;
import tilewright.kernels.VectorAdd;

/**
 * The host time of one launch: a kernel of one CTA and one addition.
 *
 * @param launches how many of each kind
 * @param medianUs microseconds from before the call to after it; likewise the percentiles
 * @param bytesPerLaunch that a launch and its share of the waits leave to the garbage collector
 * @param throughputUs wall time of all launches, with the wait for their end, over their number
 * @param graphLaunchUs median of launching a graph of one kernel
 */
public record LaunchCost(String date, String gpu, String driver, String java, String commit, int launches,
    double medianUs, double p90Us, double p99Us, double bytesPerLaunch, double throughputUs, double graphLaunchUs) {
  /** The driver's queue holds about a thousand launches; a full one would make the thread wait for the device. */
  private static final int IN_FLIGHT = 256;
  private static final int WARMUPS = 20_000;

  /** @throws BenchmarkException when there is no GPU */
  public static LaunchCost measure(int launches, String commit) {
    var available = Benchmark.requireGpu();
    try (var gpu = Gpu.open(0); var stream = gpu.stream(); var memory = gpu.allocate(16)) {
      var kernel = gpu.bind(VectorAdd.prepare(1), Map.of("X", memory, "Y", memory, "Z", memory));
      Runnable launch = () -> kernel.launch(stream);
      var times = new long[launches];
      time(new long[WARMUPS], launch, stream::synchronize);
      long idle = allocated(() -> time(times, () -> {}, () -> {}));
      long begin = System.nanoTime();
      long allocated = allocated(() -> time(times, launch, stream::synchronize));
      double throughput = (System.nanoTime() - begin) * 1e-3 / launches;
      double bytes = (double) Math.max(0, allocated - idle) / launches;
      try (var graph = stream.capture(launch)) {
        var replays = new long[launches];
        time(new long[WARMUPS], () -> graph.launch(stream), stream::synchronize);
        time(replays, () -> graph.launch(stream), stream::synchronize);
        return new LaunchCost(LocalDate.now(ZoneOffset.UTC).toString(), gpu.properties().name(),
            available.driverVersion(), Runtime.version().toString(), commit, launches, us(times, 0.5), us(times, 0.9),
            us(times, 0.99), bytes, throughput, us(replays, 0.5));
      }
    }
  }

  /** Bytes that this thread allocates meanwhile. */
  private static long allocated(Runnable action) {
    var threads = (com.sun.management.ThreadMXBean) ManagementFactory.getThreadMXBean();
    long before = threads.getCurrentThreadAllocatedBytes();
    action.run();
    return threads.getCurrentThreadAllocatedBytes() - before;
  }

  private static void time(long[] times, Runnable launch, Runnable drain) {
    for (int i = 0; i < times.length; i++) {
      if (i % IN_FLIGHT == 0) drain.run();
      long begin = System.nanoTime();
      launch.run();
      times[i] = System.nanoTime() - begin;
    }
    drain.run();
  }

  private static double us(long[] nanoseconds, double quantile) {
    return Sample.of(Arrays.stream(nanoseconds).mapToDouble(ns -> ns * 1e-3).toArray()).quantile(quantile);
  }
}
