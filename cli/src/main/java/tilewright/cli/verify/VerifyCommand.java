package tilewright.cli.verify;

import java.nio.file.Path;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import java.util.function.Supplier;
import java.util.stream.Collectors;
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
import tilewright.cli.io.TextTable;
import tilewright.cli.kernel.ChosenSettings;
import tilewright.cli.kernel.KernelNames;
import tilewright.cli.sweep.ReportFile;
import tilewright.cli.sweep.SweepOptions;
import tilewright.cli.sweep.VerifyShard;
import tilewright.kernel.Chip;
import tilewright.kernels.registry.KernelRegistry;
import tilewright.ptx.Launch;
import tilewright.verification.HtmlReport;
import tilewright.verification.Row;
import tilewright.verification.Verification;
import tilewright.verification.VerifyOptions;

/** {@code tilewright verify}: every kernel on every witness. */
@Command(name = "verify", description = {
    "Assemble kernels, run them in the simulator and on a GPU, and compare with the reference.",
    "What this machine cannot do is skipped and said so."})
@Examples({"verify", "verify softmax rope --size full", "verify softmax --set method=safe --set dtype=f16",
    "verify sm90_gemm --on sim --seeds 4", "verify --size full --shard 3/16 --results results"})
public final class VerifyCommand implements Callable<Integer> {
  private static final List<String> ARCHS = List.of("sm80", "sm89", "sm90", "sm100", "sm120");
  private static final Set<String> BACKENDS = Set.of("sim", "gpu");
  private static final List<String> COMPARED = List.of("sim", "gpu", "both");

  private final Console console;
  private final KernelRegistry registry;

  @Parameters(paramLabel = "KERNEL", arity = "0..*", description = "Kernels to verify (default: all).")
  private Set<String> kernels = new LinkedHashSet<>();

  @Option(names = "--set", paramLabel = "NAME=VALUE", description = {
      "One of the settings of the kernels named, which are families of the catalogue; may be repeated.",
      "Only this configuration is verified then, on all extents that break kernels."})
  private Map<String, String> settings = new LinkedHashMap<>();

  @Option(names = "--arch", split = ",", paramLabel = "ARCH",
      description = "Of sm80, sm89, sm90, sm100, sm120 (default: all).")
  private Set<String> archs = new LinkedHashSet<>();

  @Option(names = "--on", split = ",", paramLabel = "BACKEND", description = {
      "Of sim, gpu (default: these two), both.", "both compares a GPU's results with the simulator's bit by bit."})
  private Set<String> backends = new LinkedHashSet<>();

  @Option(names = "--chip", paramLabel = "CHIP", description = {
      "Let the simulator stand for a100, rtx3090, rtx4090, h100, h200, b200, b300 or rtx5090: with its limits",
      "and arithmetic, in the tiles that it holds, assembled for it (default: for each kernel's own target)."})
  private Optional<Chip> chip = Optional.empty();

  @Option(names = "--size", defaultValue = "quick", paramLabel = "quick|full",
      description = {"quick runs what a fixed budget pays for, less than a minute on two cores; the kernels share it,",
          "so that naming a few of them checks these on more cases. full runs every case (default: quick)."})
  private VerifyOptions.Size size;

  @Option(names = "--seed", paramLabel = "N", defaultValue = "1",
      description = "Of the inputs and the simulator's schedule (default: 1).")
  private long seed;

  @Option(names = "--seeds", paramLabel = "N", defaultValue = "1",
      description = "How many seeds each kernel runs with, from the first on (default: 1).")
  private int seeds;

  @Option(names = "--report", paramLabel = "FILE",
      description = "Where the HTML report goes (default: target/verify.html; with --shard or --results none).")
  private Optional<Path> report = Optional.empty();

  @Option(names = "--dump", paramLabel = "DIR",
      description = "Write every launch that fails as launch.json, to replay by sim and gpu.")
  private Optional<Path> dump = Optional.empty();

  @Mixin
  private SweepOptions sweep = new SweepOptions();

  public VerifyCommand(Console console, KernelRegistry registry) {
    this.console = console;
    this.registry = registry;
  }

  /** A row as the design has it. */
  record Line(String kernel, String arch, String backend, String config, String status, OptionalDouble maxError,
      OptionalDouble meanError, Optional<Boolean> bitExact, int findings, double ms, String reason) {
    static Line of(Row row) {
      return new Line(row.kernel(), row.arch(), row.backend(), row.config(), row.status().text(), row.maxError(),
          row.meanError(), row.bitExact(), row.findings(), row.ms(), row.reason());
    }
  }

  @Override
  public Integer call() {
    var chosen = kernels.stream().map(name -> KernelNames.named(registry, name).name()).collect(Collectors.toSet());
    requireKnown("--arch", archs, ARCHS);
    requireKnown("--on", backends, COMPARED);
    requireChoice(chosen);
    if (chip.isPresent() && backends.stream().anyMatch(name -> !name.equals("sim"))) {
      throw CommandFailure.badInput("--chip " + chip.get().text() + " is for the simulator: leave it out on a GPU, or"
          + " take --on sim");
    }
    // The shards of a sweep share a folder; merge writes their report.
    var file = sweep.isGiven() && report.isEmpty() ? Optional.<Path>empty() : Optional.of(ReportFile.of(report));
    var options = new VerifyOptions(chosen, settings, archs, places(), size, seed, atLeastOne(seeds),
        chip);
    var rows = sweep.isGiven() ? VerifyShard.run(registry, options, sweep, new Steps(), console)
        : Verification.run(registry, options, new Steps());
    console.progressDone();
    print(rows);
    file.ifPresent(page -> writeReport(page, rows));
    console.text(HtmlReport.summary(rows) + file.map(page -> "; report: " + page).orElse(""));
    return exitCode(rows);
  }

  /** The backends to run on: a chip is simulated. */
  private Set<String> places() {
    if (!backends.isEmpty()) return backends;
    return chip.isPresent() ? Set.of("sim") : BACKENDS;
  }

  private final class Steps implements Verification.Progress {
    private final long begin = System.nanoTime();
    private final Optional<FailureDump> failures = dump.map(FailureDump::new);

    @Override
    public void begins(Verification.Step step) {
      console.progress(step.done(), Duration.ofNanos(System.nanoTime() - begin), "%d/%d %s %s on %s".formatted(
          step.number(), step.total(), step.kernel(), step.config(), step.backend()));
    }

    /** A verdict is out before the next run, which may never end. */
    @Override
    public void ends(Row row) {
      if (console.json()) console.result(Line.of(row), "");
      if (row.status() == Row.Status.FAIL) {
        console.progressDone();
        console.note("%s %s fails on %s: %s".formatted(row.kernel(), row.config(), row.backend(), row.reason()));
      }
    }

    @Override
    public void failed(Row row, Supplier<Launch> launch) {
      failures.ifPresent(all -> console.note("%s %s failed on %s: %s".formatted(row.kernel(), row.config(),
          row.backend(), all.write(row, launch.get()))));
    }
  }

  /** Settings are of families that are named, and go together. */
  private void requireChoice(Set<String> chosen) {
    if (settings.isEmpty()) return;
    if (chosen.isEmpty()) throw CommandFailure.badInput("--set needs the name of a kernel of the catalogue");
    var limited = chip.map(gpu -> registry.on(gpu.capability())).orElse(registry);
    for (var name : chosen) {
      var family = limited.family(name).orElseThrow(() ->
          CommandFailure.badInput("invalid --set: " + name + " has its own cases; settings choose those of a family"));
      try {
        family.requireSupported(ChosenSettings.over(family.defaults(), settings));
      } catch (IllegalArgumentException e) {
        throw CommandFailure.badInput("kernel " + name + " cannot be made with these settings: " + e.getMessage());
      }
    }
  }

  private static int atLeastOne(int seeds) {
    if (seeds < 1) throw CommandFailure.badInput("invalid --seeds " + seeds + ": 1 or more");
    return seeds;
  }

  private static void requireKnown(String what, Set<String> chosen, List<String> known) {
    for (var name : chosen) {
      if (!known.contains(name)) throw NearestName.unknown(what, name, known);
    }
  }

  private void print(List<Row> rows) {
    if (console.json()) return;
    var table = new TextTable("kernel", "arch", "backend", "config", "status", "max error", "mean error", "bit-exact",
        "findings", "ms", "");
    for (var row : rows) {
      if (row.status() == Row.Status.SKIPPED) continue;
      table.add(row.kernel(), row.arch(), row.backend(), row.config(), row.status().text(), number(row.maxError()),
          number(row.meanError()), row.bitExact().map(exact -> exact ? "yes" : "no").orElse("-"), "" + row.findings(),
          "%.2f".formatted(row.ms()), row.reason());
    }
    console.text(table.toString(console.terminal(), VerifyCommand::coloured));
    rows.stream().filter(row -> row.status() == Row.Status.SKIPPED)
        .collect(Collectors.groupingBy(row -> row.backend() + ": " + row.reason(), TreeMap::new, Collectors.counting()))
        .forEach((why, count) -> console.text(skipped("skipped " + count + " on " + why)));
  }

  private String skipped(String line) {
    return console.terminal().coloured() ? "\u001b[33m" + line + "\u001b[0m" : line;
  }

  /** Green for what passed, red for what failed (ECMA-48, SGR). */
  private static String coloured(String cell) {
    return switch (cell) {
      case "pass" -> "\u001b[32mpass\u001b[0m";
      case "fail" -> "\u001b[1;31mfail\u001b[0m";
      default -> cell;
    };
  }

  private static String number(OptionalDouble value) {
    return value.isEmpty() ? "-" : value.getAsDouble() == 0 ? "0" : "%.2e".formatted(value.getAsDouble());
  }

  private static void writeReport(Path file, List<Row> rows) {
    var facts = new LinkedHashMap<String, String>();
    DoctorCommand.facts().forEach(fact -> facts.put(fact.item(), fact.detail()));
    AtomicFile.write(file, HtmlReport.render(rows, facts));
  }

  /** When all was skipped, this machine lacks what was asked for. */
  private int exitCode(List<Row> rows) {
    if (rows.stream().anyMatch(row -> row.status() == Row.Status.FAIL)) return Exit.CHECK_FAILED;
    // A small shard may be all of it skipped, or empty.
    if (sweep.isGiven()) return Exit.OK;
    return rows.stream().anyMatch(row -> row.status() == Row.Status.PASS) ? Exit.OK : Exit.ENVIRONMENT;
  }
}
