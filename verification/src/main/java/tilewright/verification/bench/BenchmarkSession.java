package tilewright.verification.bench;

import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SequencedMap;
import java.util.function.Consumer;
import java.util.function.Supplier;
import tilewright.device.Gpu;
import tilewright.device.Stream;
import tilewright.kernels.registry.KernelRegistry;
import tilewright.kernels.registry.TimedProblem;

/** A benchmark on this machine's first GPU whose rows can be measured one by one, each as a record of one row. */
public final class BenchmarkSession implements RowMeasurement<BenchmarkRecord> {
  private final Gpu gpu;
  private final Stream stream;
  private final String driver;
  private final Suite suite;
  private final Benchmark.Options options;
  private final Consumer<String> step;
  private Optional<Peers> peers = Optional.empty();
  private Optional<RowTimer> timer = Optional.empty();
  private Optional<SequencedMap<String, Planned>> planned = Optional.empty();

  private record Planned(String kernel, Supplier<TimedProblem> problem) {}

  private BenchmarkSession(Gpu gpu, String driver, KernelRegistry registry, Benchmark.Options options,
      Consumer<String> step) {
    this.gpu = gpu;
    this.driver = driver;
    this.options = options;
    this.step = step;
    suite = new Suite(registry.on(gpu.properties().capability()), options);
    stream = gpu.stream();
  }

  /**
   * Opens the GPU; nothing is measured yet.
   *
   * @param step told what begins
   * @throws BenchmarkException when there is no GPU
   * @throws IllegalArgumentException when the options choose nothing
   */
  public static BenchmarkSession open(KernelRegistry registry, Benchmark.Options options, Consumer<String> step) {
    new Suite(registry, options).requireProblems();
    var driver = Benchmark.requireGpu().driverVersion();
    return new BenchmarkSession(Gpu.open(0), driver, registry, options, step);
  }

  @Override
  public String device() {
    return gpu.properties().name();
  }

  /** {@inheritDoc} Traces every kernel, as the problem's configuration is part of the key. */
  @Override
  public List<String> keys() {
    return List.copyOf(planned().keySet());
  }

  private SequencedMap<String, Planned> planned() {
    if (planned.isPresent()) return planned.get();
    var all = new LinkedHashMap<String, Planned>();
    var seen = new HashMap<String, Integer>();
    for (var kernel : suite.chosen()) {
      for (var problem : suite.of(kernel)) {
        var traced = problem.get();
        if (!RowTimer.runs(gpu, traced.arch())) continue;
        var key = traced.kernel() + " " + traced.arch() + " " + traced.config();
        int number = seen.merge(key, 1, Integer::sum);
        all.put(number == 1 ? key : key + " #" + number, new Planned(kernel, problem));
      }
    }
    planned = Optional.of(all);
    return all;
  }

  @Override
  public BenchmarkRecord measure(String key) {
    var row = planned().get(key);
    return empty().with(timer().measure(row.kernel(), row.problem(), step).orElseThrow());
  }

  /** Measures all rows; a kernel that this GPU does not run has none. */
  BenchmarkRecord all(Consumer<BenchmarkRecord> partial) {
    var record = empty();
    for (var kernel : suite.chosen()) {
      for (var problem : suite.of(kernel)) {
        var row = timer().measure(kernel, problem, step);
        if (row.isEmpty()) continue;
        record = record.with(row.get());
        partial.accept(record);
      }
    }
    return record;
  }

  private BenchmarkRecord empty() {
    var rates = timer().limits().rates();
    return new BenchmarkRecord(LocalDate.now(ZoneOffset.UTC).toString(), device(), driver,
        peers.map(Peers::versions).orElse(Map.of()), options.commit(), rates, options.warmMs(), List.of());
  }

  /** Starts the peers and measures the limits before the first row: a session that measures none needs neither. */
  private RowTimer timer() {
    if (timer.isPresent()) return timer.get();
    peers = options.python().map(python -> Peers.start(python, step));
    step.accept("the limits of " + device());
    var limits = Limits.measure(gpu, stream);
    timer = Optional.of(new RowTimer(gpu, stream, limits, peers, new DeviceInputs(gpu, stream), options.warmMs()));
    return timer.get();
  }

  @Override
  public void close() {
    peers.ifPresent(Peers::close);
    stream.close();
    gpu.close();
  }
}
