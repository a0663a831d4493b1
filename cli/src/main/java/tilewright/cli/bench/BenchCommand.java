package tilewright.cli.bench;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeSet;
import java.util.concurrent.Callable;
import java.util.function.Supplier;
import java.util.stream.Stream;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import tilewright.cli.io.AtomicFile;
import tilewright.cli.io.CommandFailure;
import tilewright.cli.io.Console;
import tilewright.cli.io.Examples;
import tilewright.cli.io.Exit;
import tilewright.cli.io.NearestName;
import tilewright.cli.io.SourceCommit;
import tilewright.cli.launch.Backend;
import tilewright.cli.sweep.DividedCommand;
import tilewright.cli.sweep.MeasuredShard;
import tilewright.cli.sweep.SweepOptions;
import tilewright.kernels.GemmProblem;
import tilewright.kernels.registry.KernelRegistry;
import tilewright.numerics.ElementType;
import tilewright.sm90.Sm90Gemms;
import tilewright.verification.bench.Benchmark;
import tilewright.verification.bench.BenchmarkException;
import tilewright.verification.bench.BenchmarkRecord;
import tilewright.verification.bench.BenchmarkSession;
import tilewright.verification.bench.DeviceScaling;
import tilewright.verification.bench.LaunchCost;
import tilewright.verification.bench.RowMeasurement;
import tilewright.verification.bench.SimulatedRows;
import tilewright.verification.bench.Scaling;
import tilewright.verification.bench.SimulatorBenchmark;
import tilewright.verification.bench.SimulatorRecord;
import tilewright.verification.bench.Soak;
import tilewright.verification.bench.TraceCost;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** {@code tilewright bench}: kernels' speed on this machine's GPU, or that of the simulator. */
@Command(name = "bench", description = {
    "Time kernels on the GPU, or in the simulator.",
    "On the GPU: device events or graph replay, median of many, rotating inputs, beside their floor.",
    "With --compare peers, PyTorch and Triton run in turns with ours, through a Python that has them.",
    "With --measure launches or soak, measure the runtime instead; with --on sim, the simulator's own speed.",
    "With --measure tracing, which needs no GPU, how long it takes to make kernels' PTX."})
@Examples({"bench softmax --compare peers", "bench sm90_gemm --set order=TN --size 4096", "bench softmax --on sim"})
public final class BenchCommand implements Callable<Integer> {
  private static final int GPU_SIZE = 4096;
  private static final int SIMULATOR_SIZE = 512;
  private static final int LARGEST = 1 << 16;

  /** The only value of {@code --compare}. */
  enum Peers { PEERS }

  /** The values of {@code --measure}. */
  enum Subject { KERNELS, LAUNCHES, SOAK, TRACING }

  private final Console console;
  private final KernelRegistry registry;

  @Parameters(paramLabel = "KERNEL", arity = "0..*",
      description = "Kernels to time, or \"all\" (default: all; in the simulator three GEMMs).")
  private List<String> kernels = List.of();

  @Option(names = "--on", paramLabel = "gpu|sim", defaultValue = "gpu",
      description = "The GPU, or the simulator's own speed, where a kernel runs the largest of its cases of verify "
          + "(default: gpu).")
  private Backend on;

  @Option(names = "--measure", paramLabel = "kernels|launches|soak|tracing", defaultValue = "kernels",
      description = "Kernels, what a launch costs, whether minutes of use leave anything behind, or how long tracing"
          + " and printing take (default: kernels).")
  private Subject subject;

  @Option(names = "--set", paramLabel = "NAME=VALUE",
      description = "Of kernels that have this setting only variants with this value, or one of a few, commas between;"
          + " may be repeated. Tunings such as lanes or blocks are measured in every combination.")
  private Map<String, String> settings = new LinkedHashMap<>();

  @Option(names = "--all-variants", description = "Every variant, not only those that differ in element type.")
  private boolean everyVariant;

  @Option(names = "--size", paramLabel = "N",
      description = "M, N and K of matrix products (default: 4096 on the GPU, 512 in the simulator; with --gpus 8192,"
          + " 8192 and 28672).")
  private Optional<Integer> size;

  @Option(names = "--launches", paramLabel = "N", defaultValue = "10000",
      description = "Launches to measure (default: 10000).")
  private int launches;

  @Option(names = "--seconds", paramLabel = "S", defaultValue = "120", description = "Length of a soak (default: 120).")
  private int seconds;

  @Option(names = "--warm", paramLabel = "MS",
      description = "Let each side run for so many milliseconds before each turn, so that both have the clock that they"
          + " keep (default: three runs, at the clock that the other side's power has left).")
  private Optional<Integer> warm;

  @Option(names = "--gpus", paramLabel = "N",
      description = "Measure attention of long sequences, its gradients, GEMMs with all-gather or reduce-scatter, and"
          + " tokens sent to experts on N GPUs of this machine; needs NCCL. Kernels are attention, attention-backward,"
          + " gemm and experts.")
  private Optional<Integer> gpus;

  @Option(names = "--tokens", paramLabel = "N", split = ",", defaultValue = "65536,131072",
      description = "Lengths of the sequences of --gpus (default: 65536,131072).")
  private List<Integer> tokens;

  @Option(names = "--scaling", paramLabel = "strong|weak", defaultValue = "strong",
      description = "Attention of --gpus: the same sequence on one GPU and on N, or on N one of √N times the tokens,"
          + " which is the same work for each GPU (default: strong).")
  private Scaling scaling;

  @Option(names = "--compare", paramLabel = "peers", description = "Time others' kernels on the same problems too.")
  private Optional<Peers> compare;

  @Option(names = "--python", paramLabel = "PYTHON", defaultValue = "python3",
      description = "The peers' Python (default: python3).")
  private String python;

  @Option(names = "--out", paramLabel = "FILE",
      description = "Write the record as JSON, as docs/benchmarks keeps them; kernels row by row.")
  private Optional<Path> out;

  @Mixin
  private SweepOptions sweep = new SweepOptions();

  public BenchCommand(Console console, KernelRegistry registry) {
    this.console = console;
    this.registry = registry;
  }

  @Override
  public Integer call() {
    var chosen = chosen(gpus.isPresent() ? DeviceScaling.KERNELS
        : on == Backend.SIM ? simulated() : Benchmark.kernels(registry));
    requireFromOneOn("--size", size.orElse(1));
    if (size.orElse(1) > LARGEST) {
      throw CommandFailure.badInput("invalid --size " + size.get() + ": needed is at most " + LARGEST);
    }
    requireFromOneOn("--warm", warm.orElse(1));
    requireFromOneOn("--gpus", gpus.orElse(1));
    requireFromOneOn("--launches", launches);
    requireFromOneOn("--seconds", seconds);
    if (sweep.isGiven() && (gpus.isPresent() || subject != Subject.KERNELS)) {
      throw CommandFailure.badInput("only kernels' rows can be divided: leave out --shard and --results, or --gpus and"
          + " --measure");
    }
    out.ifPresent(AtomicFile::requireWritable);
    if (on == Backend.SIM) {
      if (compare.isPresent()) throw CommandFailure.badInput("the simulator has no peers: leave out --compare");
      if (gpus.isPresent()) throw CommandFailure.badInput("the simulator has no GPUs to time: leave out --on sim");
      var simulated = chosen.isEmpty() ? SimulatorBenchmark.Options.KERNELS : chosen;
      if (sweep.isGiven()) return simulatedShard(simulated);
      var record = simulate(simulated);
      return report(record, BenchTables.of(record), true);
    }
    try {
      if (gpus.isPresent()) {
        tokens.forEach(length -> requireFromOneOn("--tokens", length));
        var record = DeviceScaling.measure(new DeviceScaling.Options(gpus.get(),
            chosen.isEmpty() ? DeviceScaling.KERNELS : chosen, tokens, scaling, size, compare.map(_ -> python),
            SourceCommit.find()), console::progress);
        console.progressDone();
        return report(record, BenchTables.of(record), record.sound());
      }
      return switch (subject) {
        case KERNELS -> {
          if (sweep.isGiven()) yield shard(chosen);
          var record = run(chosen);
          yield report(record, BenchTables.of(record), true);
        }
        case LAUNCHES -> {
          var cost = LaunchCost.measure(launches, SourceCommit.find());
          yield report(cost, BenchTables.of(cost), true);
        }
        case SOAK -> {
          var soak = Soak.run(seconds, SourceCommit.find(), console::progress);
          console.progressDone();
          yield report(soak, BenchTables.of(soak), soak.sound());
        }
        case TRACING -> {
          var cost = TraceCost.measure(traced(), SourceCommit.find(), name -> console.progress("tracing " + name));
          console.progressDone();
          yield report(cost, BenchTables.of(cost), true);
        }
      };
    } catch (BenchmarkException e) {
      throw CommandFailure.environmentLacks(e.getMessage());
    } catch (IllegalArgumentException e) {
      throw CommandFailure.badInput(e.getMessage());
    }
  }

  private List<String> chosen(List<String> there) {
    if (kernels.equals(List.of("all"))) return on == Backend.SIM ? there : List.of();
    var chosen = kernels.stream().map(name -> name.replace('-', '_')).toList();
    for (var kernel : chosen) {
      if (!there.contains(kernel)) {
        throw CommandFailure.badInput("no benchmark of " + kernel + " on " + on
            + NearestName.hint(kernel, there, "; there is one of " + String.join(", ", there)));
      }
    }
    return chosen;
  }

  /** The kernels that have a benchmark of the simulator, then all others, which run their largest case. */
  private List<String> simulated() {
    return Stream.concat(SimulatorBenchmark.Options.KERNELS.stream(), registry.names().stream()).distinct().toList();
  }

  /** Every kernel as it is without settings, and the Hopper GEMM in each tile of 16-bit operands. */
  private Map<String, Supplier<String>> traced() {
    var all = new LinkedHashMap<String, Supplier<String>>();
    for (var kernel : registry.kernels()) {
      all.put(kernel.name(), () -> kernel.prepare(kernel.defaults()).kernel().ptx());
    }
    var hopper = registry.find("sm90_gemm").orElseThrow();
    var problem = GemmProblem.packed(ElementType.BF16, ElementType.BF16, 1024, 1024, 1024, 1, "TN");
    for (var tile : Sm90Gemms.tiles(problem)) {
      all.put("sm90_gemm " + tile,
          () -> hopper.prepare(hopper.defaults().with(Map.of("tile", tile))).kernel().ptx());
    }
    return all;
  }

  private static void requireFromOneOn(String option, int value) {
    if (value >= 1) return;
    throw CommandFailure.badInput("invalid " + option + " " + value + ": needed is an integer from 1 on");
  }

  private int report(Object record, String text, boolean sound) {
    console.result(record, text);
    out.ifPresent(file -> write(file, record));
    return sound ? Exit.OK : Exit.CHECK_FAILED;
  }

  private static void write(Path file, Object record) {
    AtomicFile.write(file, JsonMapper.shared().writeValueAsString(record));
  }

  private int shard(List<String> chosen) {
    try (var rows = BenchmarkSession.open(registry, options(chosen), step -> console.progress("timing " + step))) {
      return shard(chosen, rows, BenchmarkRecord.class);
    }
  }

  private int simulatedShard(List<String> chosen) {
    var options = new SimulatorBenchmark.Options(chosen, size.orElse(SIMULATOR_SIZE), SourceCommit.find());
    var rows = new SimulatedRows(registry, options, step -> console.progress("timing the simulator on " + step));
    return shard(chosen, rows, SimulatorRecord.class);
  }

  private <R> int shard(List<String> chosen, RowMeasurement<R> rows, Class<R> type) {
    var measured = MeasuredShard.run(command(chosen), rows, type, sweep, _ -> {}, console);
    console.progressDone();
    if (measured.isEmpty()) {
      console.text("no row belongs to this shard");
      return Exit.OK;
    }
    var joined = new BenchReport().join(measured.stream().map(JsonMapper.shared()::<JsonNode>valueToTree).toList());
    return report(joined.document(), joined.text(), true);
  }

  private DividedCommand command(List<String> chosen) {
    var words = new ArrayList<String>(new TreeSet<>(chosen));
    settings.entrySet().stream().map(e -> e.getKey() + "=" + e.getValue()).sorted()
        .forEach(setting -> words.addAll(List.of("--set", setting)));
    words.addAll(List.of("--on", on == Backend.SIM ? "sim" : "gpu"));
    if (everyVariant) words.add("--all-variants");
    size.ifPresent(n -> words.addAll(List.of("--size", "" + n)));
    warm.ifPresent(ms -> words.addAll(List.of("--warm", "" + ms)));
    compare.ifPresent(_ -> words.addAll(List.of("--compare", "peers")));
    return new DividedCommand(BenchReport.COMMAND, SourceCommit.find(), words);
  }

  private Benchmark.Options options(List<String> chosen) {
    return new Benchmark.Options(chosen, settings, everyVariant, size.orElse(GPU_SIZE), warm.orElse(0),
        compare.map(_ -> python), SourceCommit.find());
  }

  private BenchmarkRecord run(List<String> chosen) {
    var record = Benchmark.run(registry, options(chosen), new Benchmark.Progress() {
      @Override
      public void step(String description) {
        console.progress("timing " + description);
      }

      @Override
      public void partial(BenchmarkRecord soFar) {
        out.ifPresent(file -> write(file, soFar));
      }
    });
    console.progressDone();
    return record;
  }

  private SimulatorRecord timed(SimulatorBenchmark.Options options) {
    try {
      return SimulatorBenchmark.run(registry, options, step -> console.progress("timing the simulator on " + step));
    } catch (IllegalArgumentException e) {
      throw CommandFailure.badInput("invalid --size " + options.size()
          + ": a quarter of its rows is timed too, which is not whole tiles (" + e.getMessage()
          + "); take a power of two from 256 on");
    }
  }

  private SimulatorRecord simulate(List<String> chosen) {
    var options = new SimulatorBenchmark.Options(chosen, size.orElse(SIMULATOR_SIZE), SourceCommit.find());
    var record = timed(options);
    console.progress("timing cold starts");
    var coldStart = ColdStart.measure(SimulatorBenchmark.smallLaunch());
    console.progressDone();
    return record.withColdStart(coldStart);
  }
}
