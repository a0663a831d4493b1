package tilewright.cli.sweep;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
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
    var commit = SourceCommit.find();
    var plan = SweepPlan.of(commit, arguments(options), shard, runs.keys().stream().map(RunKey::text).toList());
    try (var writer = ResultsWriter.open(sweep.results().get(), plan, console)) {
      var pending = new HashSet<>(plan.runs());
      for (var result : writer.earlier()) {
        if (pending.remove(result.key())) rows.add(result.row());
      }
      console.note("shard %s: %d of %d runs, %d of them done before".formatted(shard, plan.runs().size(), plan.total(),
          rows.size()));
      runs.run(key -> pending.contains(key.text()), progress, (key, row) -> {
        writer.append(SweepResult.of(commit, key, row));
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
