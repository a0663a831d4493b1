package tilewright.cli.sweep;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.TreeSet;
import tilewright.cli.io.Console;
import tilewright.cli.io.SourceCommit;
import tilewright.kernels.registry.KernelRegistry;
import tilewright.verification.Row;
import tilewright.verification.RunKey;
import tilewright.verification.SeededRuns;
import tilewright.verification.Verification;
import tilewright.verification.VerifyOptions;

/** Runs one shard of a verification, or resumes it. */
public final class VerifyShard {
  static final String COMMAND = "verify";

  private VerifyShard() {}

  /** Returns the rows of the shard's runs: first those that its file held already, then the others as they ran. */
  public static List<Row> run(KernelRegistry registry, VerifyOptions options, SweepOptions sweep,
      Verification.Progress progress, Console console) {
    var runs = SeededRuns.of(registry, options);
    var shard = sweep.shard();
    var rows = new ArrayList<Row>();
    if (sweep.results().isEmpty()) {
      runs.run(key -> shard.holds(key.text()), progress, (_, row) -> rows.add(row));
      return rows;
    }
    var source = new SweepSource(COMMAND, SourceCommit.find(), Optional.empty());
    var plan = SweepPlan.of(source, arguments(options), shard, runs.keys().stream().map(RunKey::text).toList());
    try (var writer = ResultsWriter.open(sweep.results().get(), plan, console)) {
      var pending = writer.pending();
      writer.done().forEach(result -> rows.add(result.verdict().row()));
      runs.run(key -> pending.contains(key.text()), progress, (key, row) -> {
        writer.append(SweepResult.of(source, Verdict.of(key, row)));
        rows.add(row);
      });
    }
    return rows;
  }

  /** Returns the command line that the options come from, always the same one for the same options. */
  private static List<String> arguments(VerifyOptions options) {
    var words = new ArrayList<String>(new TreeSet<>(options.kernels()));
    options.settings().entrySet().stream().map(e -> e.getKey() + "=" + e.getValue()).sorted()
        .forEach(setting -> words.addAll(List.of("--set", setting)));
    if (!options.archs().isEmpty()) words.addAll(List.of("--arch", String.join(",", new TreeSet<>(options.archs()))));
    words.addAll(List.of("--on", String.join(",", new TreeSet<>(options.backends()))));
    options.chip().ifPresent(chip -> words.addAll(List.of("--chip", chip.text())));
    words.addAll(List.of("--size", options.size().text(), "--seed", "" + options.seed(), "--seeds",
        "" + options.seeds()));
    return words;
  }
}
