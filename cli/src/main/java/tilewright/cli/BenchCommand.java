package tilewright.cli;

import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import tilewright.verification.BenchmarkException;
import tilewright.verification.BenchmarkRecord;
import tilewright.verification.GemmBenchmark;
import tilewright.verification.SimulatorBenchmark;
import tilewright.verification.SimulatorRecord;
import tools.jackson.databind.json.JsonMapper;

/** {@code tilewright bench}: kernels' speed on this machine's GPU, or that of the simulator. */
@Command(name = "bench", description = {"Time kernels on the GPU: device events, median of many, rotating inputs.",
    "With --compare peers, the vendor's library runs in turns with ours, through a Python that has PyTorch.",
    "With --on sim, time the simulator on one core instead."})
final class BenchCommand implements Callable<Integer> {
  private static final int GPU_SIZE = 4096;
  private static final int SIMULATOR_SIZE = 512;

  /** What peers can be: all there are. */
  enum Peers { PEERS }

  private final Console console;

  @Parameters(paramLabel = "KERNEL", arity = "0..*",
      description = "Kernels to time: sm80_gemm, and in the simulator naive_gemm too (default: all).")
  private List<String> kernels = List.of();

  @Option(names = "--on", paramLabel = "gpu|sim", defaultValue = "gpu",
      description = "The GPU, or the simulator's own speed (default: gpu).")
  private Backend on;

  @Option(names = "--size", paramLabel = "N",
      description = "M, N and K (default: 4096 on the GPU, 512 in the simulator).")
  private Optional<Integer> size;

  @Option(names = "--compare", paramLabel = "peers", description = "Time the vendor's library too.")
  private Optional<Peers> compare;

  @Option(names = "--python", paramLabel = "PYTHON", defaultValue = "python3",
      description = "The peers' Python (default: python3).")
  private String python;

  @Option(names = "--out", paramLabel = "FILE",
      description = "Write the record as JSON, as docs/benchmarks keeps them.")
  private Optional<Path> out;

  BenchCommand(Console console) {
    this.console = console;
  }

  @Override
  public Integer call() {
    var there = on == Backend.SIM ? SimulatorBenchmark.Options.KERNELS : List.of(CatalogueKernel.SM80_GEMM.text());
    var chosen = kernels.stream().map(name -> CatalogueKernel.named(name).text()).toList();
    for (var kernel : chosen) {
      if (!there.contains(kernel)) {
        throw CommandFailure.badInput("no benchmark of " + kernel + " on " + on + "; there is one of "
            + String.join(", ", there));
      }
    }
    if (size.isPresent() && size.get() < 1) {
      throw CommandFailure.badInput("invalid --size " + size.get() + ": needed is an integer from 1 on");
    }
    out.ifPresent(AtomicFile::requireWritable);
    if (on == Backend.SIM) {
      if (compare.isPresent()) throw CommandFailure.badInput("the simulator has no peers: leave out --compare");
      var record = simulate(chosen.isEmpty() ? there : chosen);
      report(record, table(record));
    } else {
      var record = run();
      report(record, table(record));
    }
    return Exit.OK;
  }

  private void report(Object record, String text) {
    console.result(record, text);
    out.ifPresent(file -> AtomicFile.write(file, JsonMapper.shared().writeValueAsString(record)));
  }

  private BenchmarkRecord run() {
    try {
      var options = new GemmBenchmark.Options(size.orElse(GPU_SIZE), compare.map(_ -> python), SourceCommit.find());
      var record = GemmBenchmark.run(options, step -> console.progress("timing " + step));
      console.progressDone();
      return record;
    } catch (BenchmarkException e) {
      throw CommandFailure.environmentLacks(e.getMessage());
    }
  }

  private SimulatorRecord simulate(List<String> chosen) {
    var options = new SimulatorBenchmark.Options(chosen, size.orElse(SIMULATOR_SIZE), SourceCommit.find());
    var record = SimulatorBenchmark.run(options, step -> console.progress("timing the simulator on " + step));
    console.progress("timing cold starts");
    var coldStart = ColdStart.measure(SimulatorBenchmark.smallLaunch());
    console.progressDone();
    return record.withColdStart(coldStart);
  }

  private static String table(BenchmarkRecord record) {
    var table = new TextTable("kernel", "config", "ms", "ours", "floor", "peers", "ours/best", "unit");
    for (var row : record.rows()) {
      var peers = row.peers().entrySet().stream().map(e -> "%s %.1f".formatted(e.getKey(), e.getValue()))
          .collect(Collectors.joining(", "));
      table.add(row.kernel(), row.config(), "%.4f".formatted(row.ms()), "%.1f".formatted(row.ours()),
          row.floor().map("%.0f"::formatted).orElse("-"), peers.isEmpty() ? "-" : peers,
          row.ratio().map("%.3f"::formatted).orElse("-"), row.unit());
    }
    return record.gpu() + ", driver for CUDA " + record.driver() + ", commit " + record.commit() + "\n" + table;
  }

  private static String table(SimulatorRecord record) {
    var table = new TextTable("kernel", "config", "CPU ms", "G thread-instr/s", "G MAC/s", "sanitizer", "us/CTA",
        "us/CTA of a quarter");
    for (var row : record.rows()) {
      table.add(row.kernel(), row.config(), "%.1f".formatted(row.ms()), "%.3f".formatted(row.instructionsPerSecond()),
          "%.3f".formatted(row.macPerSecond()), "%.2fx".formatted(row.sanitizerRatio()),
          "%.1f".formatted(row.usPerCta()), "%.1f".formatted(row.usPerCtaOfQuarter()));
    }
    return "One core of " + record.processor() + ", Java " + record.java() + ", "
        + (record.vectors() ? "Vector API" : "no Vector API") + ", commit " + record.commit() + "\n" + table
        + "\ncold start of sim: " + record.coldStartMs().map("%.0f ms"::formatted).orElse("not measured");
  }
}
