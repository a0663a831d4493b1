package tilewright.verification.bench;

import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.Predicate;
import java.util.function.Supplier;
import tilewright.device.Gpu;
import tilewright.device.Stream;
import tilewright.device.driver.GpuProbe;
import tilewright.kernels.registry.KernelRegistry;
import tilewright.kernels.registry.TimedProblem;
import tilewright.verification.KernelConfiguration;

/** Times kernels on this machine's first GPU, beside their floor and, where a Python with PyTorch is at hand, peers. */
public final class Benchmark {
  /** Many and short: at its power limit a GPU changes its clock every few milliseconds, and all shall meet the same. */
  private static final int ROUNDS = 9;
  /** Rounds of a measurement in which each side runs long enough to settle at its own clock. */
  private static final int WARM_ROUNDS = 5;

  private Benchmark() {}

  /**
   * The kernels to measure and the conditions.
   *
   * @param kernels names; empty for all
   * @param settings that narrow the choice, such as {@code dtype=bf16}, of the kernels that have such a setting
   * @param everyVariant whether to measure variants that differ in more than their type
   * @param size M, N and K of matrix products
   * @param warmMs how many milliseconds each side runs before it is timed, in every round, as at its power limit a
   *     GPU goes on for some time at the clock that the side before has left it; 0 for three runs
   * @param python the peers' interpreter; without one ours are measured alone
   * @param commit of the sources, for the record
   */
  public record Options(List<String> kernels, Map<String, String> settings, boolean everyVariant, int size,
      int warmMs, Optional<String> python, String commit) {
    public Options {
      kernels = List.copyOf(kernels);
      settings = Map.copyOf(settings);
    }
  }

  /** Told what happens meanwhile. */
  public interface Progress {
    /** A step begins. */
    void step(String description);

    /** The record so far, after each row: what remains when a run is cut short. */
    void partial(BenchmarkRecord record);
  }

  /** The kernels that can be measured. */
  public static List<String> kernels(KernelRegistry registry) {
    return new Suite(registry, new Options(List.of(), Map.of(), false, 1, 0, Optional.empty(), "")).names();
  }

  /**
   * Every configuration in which some kernels are measured: the suite's problems and one problem of every other form in
   * benchmark records in each variant, further problems of a form in the variant that is chosen for them.
   *
   * @param records as JSON, of {@link BenchmarkRecord} or of another form that names kernels or problems
   */
  public static List<KernelConfiguration> configurations(KernelRegistry registry, Predicate<String> kernels,
      Collection<String> records) {
    var settings = new LinkedHashSet<RecordedSettings>();
    kernels(registry).forEach(kernel -> settings.add(new RecordedSettings(kernel, Map.of())));
    records.forEach(record -> settings.addAll(RecordedSettings.in(registry, record)));
    var forms = new HashSet<RecordedSettings>();
    return settings.stream().filter(s -> kernels.test(s.kernel()))
        .flatMap(s -> s.configurations(registry, forms.add(s.form()))).toList();
  }

  /**
   * Measures all that the options choose.
   *
   * @throws BenchmarkException when there is no GPU, or the peers cannot be measured
   * @throws IllegalArgumentException when the options choose nothing
   */
  public static BenchmarkRecord run(KernelRegistry registry, Options options, Progress progress) {
    new Suite(registry, options).requireProblems();
    var available = requireGpu();
    try (var gpu = Gpu.open(0); var stream = gpu.stream()) {
      var suite = new Suite(registry.on(gpu.properties().capability()), options);
      var peers = options.python().map(python -> Peers.start(python, progress::step));
      try {
        progress.step("the limits of " + gpu.properties().name());
        var limits = Limits.measure(gpu, stream);
        var run = new Run(gpu, stream, limits, peers, new DeviceInputs(gpu, stream), options.warmMs());
        var empty = new BenchmarkRecord(LocalDate.now(ZoneOffset.UTC).toString(), gpu.properties().name(),
            available.driverVersion(), peers.map(Peers::versions).orElse(Map.of()), options.commit(), limits.rates(),
            options.warmMs(), List.of());
        return run.all(suite, empty, progress);
      } finally {
        peers.ifPresent(Peers::close);
      }
    }
  }

  static GpuProbe.Available requireGpu() {
    return switch (Gpu.probe()) {
      case GpuProbe.Available available -> available;
      case GpuProbe.Missing(var reason) -> throw new BenchmarkException("no GPU to measure on: " + reason);
    };
  }

  private record Run(Gpu gpu, Stream stream, Limits limits, Optional<Peers> peers, DeviceInputs inputs, int warmMs) {

    BenchmarkRecord all(Suite suite, BenchmarkRecord empty, Progress progress) {
      var record = empty;
      for (var kernel : suite.chosen()) {
        for (var problem : suite.of(kernel)) {
          var row = measure(kernel, problem, progress::step);
          if (row.isEmpty()) continue;
          record = record.with(row.get());
          progress.partial(record);
        }
      }
      return record;
    }

    /** Nothing where this GPU does not run the kernel. */
    private Optional<BenchmarkRecord.Row> measure(String kernel, Supplier<TimedProblem> problem,
        Consumer<String> step) {
      var measured = problem.get();
      if (!runs(measured.arch())) {
        step.accept(kernel + ": skipped, it needs " + measured.arch());
        return Optional.empty();
      }
      step.accept(kernel + " " + measured.config());
      var rounds = new Rounds();
      boolean alone = measured.peer().isEmpty() || peers.isEmpty();
      var request = new HashMap<>(measured.peer());
      request.putAll(Map.of("warmMs", warmMs, "iterations", KernelTimer.RUNS));
      try (var timer = new KernelTimer(gpu, stream, measured, inputs)) {
        for (int round = 0; round < (warmMs > 0 ? WARM_ROUNDS : ROUNDS); round++) {
          rounds.add(timer.round(warmMs), alone ? Map.of() : peers.get().times(request));
        }
      }
      return Optional.of(row(measured, rounds));
    }

    private BenchmarkRecord.Row row(TimedProblem measured, Rounds rounds) {
      var rates = new HashMap<String, Double>();
      rounds.peers().forEach((name, ms) -> rates.put(name, rate(measured, ms)));
      var ours = rounds.ours();
      double rate = rate(measured, ours.median());
      var floor = Optional.of(limits.floorMs(measured)).filter(Double::isFinite).map(ms -> rate(measured, ms));
      var ratios = rounds.ratios();
      return new BenchmarkRecord.Row(measured.kernel(), measured.arch(), measured.config(),
          measured.operations() == 0 ? "TB/s" : "TFLOP/s", rate, ours.median(), ours.spread(), measured.bytes(),
          measured.operations(), floor, floor.map(f -> rate / f), rates, ratios.map(Sample::median),
          ratios.map(Sample::spread));
    }

    private static double rate(TimedProblem measured, double ms) {
      return (measured.operations() == 0 ? measured.bytes() : measured.operations()) / ms * 1e-9;
    }

    private boolean runs(String arch) {
      int capability = gpu.properties().capability();
      return switch (arch) {
        case "sm90" -> capability == 90;
        case "sm100" -> capability == 100;
        default -> capability >= 80;
      };
    }
  }
}
