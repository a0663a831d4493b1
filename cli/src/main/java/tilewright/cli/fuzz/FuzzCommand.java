package tilewright.cli.fuzz;

import java.util.ArrayList;
import java.util.List;
import java.util.TreeSet;
import java.util.concurrent.Callable;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import tilewright.cli.io.CommandFailure;
import tilewright.cli.io.Console;
import tilewright.cli.io.Examples;
import tilewright.cli.io.Exit;
import tilewright.cli.io.SourceCommit;
import tilewright.cli.kernel.KernelNames;
import tilewright.cli.sweep.DividedCommand;
import tilewright.cli.sweep.MeasuredShard;
import tilewright.cli.sweep.SweepOptions;
import tilewright.kernels.registry.KernelDescription;
import tilewright.kernels.registry.KernelRegistry;

/** {@code tilewright fuzz}: mutated kernels in the simulator. */
@Command(name = "fuzz", description = {
    "Run mutations of kernels' PTX in the simulator.",
    "Each text runs, with or without findings, or is refused with a line; anything else is a failure, with the",
    "shortest text that shows it. Equal seeds give equal texts."})
@Examples({"fuzz vector_add", "fuzz --seeds 100 --shard 3/16 --results results"})
public final class FuzzCommand implements Callable<Integer> {
  private final Console console;
  private final KernelRegistry registry;

  @Parameters(paramLabel = "KERNEL", arity = "0..*", description = "Kernels to begin with (default: all).")
  private List<String> kernels = List.of();

  @Option(names = "--seed", paramLabel = "N", defaultValue = "1", description = "The first seed (default: 1).")
  private long seed;

  @Option(names = "--seeds", paramLabel = "N", defaultValue = "1",
      description = "How many seeds each kernel runs with, from the first on (default: 1).")
  private int seeds;

  @Option(names = "--texts", paramLabel = "N", defaultValue = "100",
      description = "How many texts each kernel and seed give (default: 100).")
  private int texts;

  @Mixin
  private SweepOptions sweep = new SweepOptions();

  public FuzzCommand(Console console, KernelRegistry registry) {
    this.console = console;
    this.registry = registry;
  }

  @Override
  public Integer call() {
    require("--seed", seed, 0, Long.MAX_VALUE / FuzzRuns.MOST_TEXTS - Integer.MAX_VALUE);
    require("--seeds", seeds, 1, Integer.MAX_VALUE);
    require("--texts", texts, 1, FuzzRuns.MOST_TEXTS);
    var chosen = chosen();
    try (var runs = new FuzzRuns(chosen, LongStream.range(seed, seed + seeds), texts, console::progress)) {
      var rows = MeasuredShard.run(command(chosen), runs, FuzzRow.class, sweep, _ -> {}, console);
      console.progressDone();
      var report = FuzzReport.joined(rows);
      if (console.json()) report.lines().forEach(line -> console.result(line, ""));
      console.text(report.text());
      return report.sound() ? Exit.OK : Exit.CHECK_FAILED;
    }
  }

  private static void require(String option, long value, long least, long most) {
    if (value >= least && value <= most) return;
    throw CommandFailure.badInput("invalid " + option + " " + value + ": needed is an integer from " + least + " to "
        + most);
  }

  private List<KernelDescription> chosen() {
    var names = kernels.isEmpty() ? registry.names().stream() : kernels.stream();
    return names.map(name -> KernelNames.named(registry, name)).distinct().toList();
  }

  private DividedCommand command(List<KernelDescription> chosen) {
    var words = new ArrayList<String>();
    if (!kernels.isEmpty()) words.addAll(new TreeSet<>(chosen.stream().map(KernelDescription::name).toList()));
    words.addAll(Stream.of("--seed", seed, "--seeds", seeds, "--texts", texts).map(String::valueOf).toList());
    return new DividedCommand(FuzzReport.COMMAND, SourceCommit.find(), words);
  }
}
