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
import tools.jackson.databind.json.JsonMapper;

/** {@code tilewright bench}: kernels' speed on this machine's GPU. */
@Command(name = "bench", description = {"Time kernels on the GPU: device events, median of many, rotating inputs.",
    "With --compare peers, the vendor's library runs in turns with ours, through a Python that has PyTorch."})
final class BenchCommand implements Callable<Integer> {
  /** What peers can be: all there are. */
  enum Peers { PEERS }

  private final Console console;

  @Parameters(paramLabel = "KERNEL", arity = "0..*",
      description = "Kernels to time; there is a benchmark of sm80_gemm (default: all).")
  private List<String> kernels = List.of();

  @Option(names = "--size", paramLabel = "N", defaultValue = "4096", description = "M, N and K (default: 4096).")
  private int size;

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
    for (var kernel : kernels) {
      if (CatalogueKernel.named(kernel) != CatalogueKernel.SM80_GEMM) {
        throw CommandFailure.badInput("no benchmark of " + kernel + "; there is one of "
            + CatalogueKernel.SM80_GEMM.text());
      }
    }
    if (size < 1) throw CommandFailure.badInput("invalid --size " + size + ": needed is an integer from 1 on");
    out.ifPresent(AtomicFile::requireWritable);
    var record = run();
    console.result(record, table(record));
    out.ifPresent(file -> AtomicFile.write(file, JsonMapper.shared().writeValueAsString(record)));
    return Exit.OK;
  }

  private BenchmarkRecord run() {
    try {
      var options = new GemmBenchmark.Options(size, compare.map(_ -> python), SourceCommit.find());
      var record = GemmBenchmark.run(options, step -> console.progress("timing " + step));
      console.progressDone();
      return record;
    } catch (BenchmarkException e) {
      throw CommandFailure.environmentLacks(e.getMessage());
    }
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
}
