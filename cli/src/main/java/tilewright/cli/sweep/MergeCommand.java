package tilewright.cli.sweep;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import tilewright.cli.io.AtomicFile;
import tilewright.cli.io.CommandFailure;
import tilewright.cli.io.Console;
import tilewright.cli.io.Examples;
import tilewright.cli.io.Exit;
import tilewright.cli.io.InputFile;
import tilewright.verification.HtmlReport;
import tilewright.verification.Row;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.json.JsonMapper;

/** {@code tilewright merge}: one report of the results of many machines. */
@Command(name = "merge", description = {
    "Join the results that the shards of a sweep have written, and say which are missing or double.",
    "The exit code is 0 if all are there and none failed."})
@Examples({"merge results", "merge results --report verify.html",
    "merge bench-1-of-2.jsonl bench-2-of-2.jsonl --out bench.json"})
public final class MergeCommand implements Callable<Integer> {
  private static final String EXTENSION = ".jsonl";

  private final Console console;
  private final List<SweepReport> reports;

  @Parameters(paramLabel = "FILE|DIR", arity = "1..*",
      description = "Files that verify, bench, tune or fuzz has written with --results, or folders of them.")
  private List<Path> from;

  @Option(names = "--report", paramLabel = "FILE",
      description = "Where the HTML report of verify goes (default: target/verify.html).")
  private Optional<Path> report = Optional.empty();

  @Option(names = "--out", paramLabel = "FILE",
      description = "Write the rows of bench as one record, those of tune and fuzz as one list, in JSON.")
  private Optional<Path> out = Optional.empty();

  /** @param reports of the commands that measure, in any order */
  public MergeCommand(Console console, List<SweepReport> reports) {
    this.console = console;
    this.reports = List.copyOf(reports);
  }

  /**
   * A remark on the completeness of the sweep.
   *
   * @param finding {@code missing}, {@code double} or {@code contradiction}
   * @param run the key of a run; absent where a whole shard is missing
   */
  record Finding(String finding, String shard, Optional<String> run) {}

  @Override
  public Integer call() {
    var files = files().stream().map(SweepFile::read).toList();
    files.forEach(file -> file.remark().ifPresent(console::note));
    var merged = Merged.of(files);
    var command = merged.any().source().command();
    return command.equals(VerifyShard.COMMAND) ? mergeVerdicts(merged) : mergeRows(merged, report(command));
  }

  private SweepReport report(String command) {
    return reports.stream().filter(known -> known.command().equals(command)).findFirst()
        .orElseThrow(() -> CommandFailure.badInput("these are results of " + command
            + ", which this program does not merge"));
  }

  private int mergeRows(Merged merged, SweepReport kind) {
    if (report.isPresent()) {
      throw CommandFailure.badInput("--report is for results of verify; " + kind.command() + " has --out");
    }
    out.ifPresent(AtomicFile::requireWritable);
    var joined = merged.results().isEmpty() ? Optional.<SweepReport.Joined>empty()
        : Optional.of(joined(merged, kind));
    tellMissing(merged);
    tellDoubles(merged);
    joined.ifPresent(this::show);
    var written = joined.flatMap(_ -> out).map(file -> "; written to " + file).orElse("");
    console.text("%d of %d shards, %d of %d rows%s".formatted(merged.plans().size(), merged.shards(),
        merged.results().size(), merged.total(), written));
    boolean sound = joined.stream().allMatch(SweepReport.Joined::sound);
    return sound && merged.incomplete().isEmpty() ? Exit.OK : Exit.CHECK_FAILED;
  }

  private void show(SweepReport.Joined joined) {
    if (console.json()) {
      joined.lines().forEach(line -> console.result(line, ""));
    } else {
      console.text(joined.text());
    }
    out.ifPresent(file -> AtomicFile.write(file, JsonMapper.shared().writeValueAsString(joined.document())));
  }

  private static SweepReport.Joined joined(Merged merged, SweepReport kind) {
    try {
      return kind.join(merged.results().values().stream().map(SweepResult::payload).toList());
    } catch (IllegalArgumentException e) {
      throw CommandFailure.badInput(e.getMessage());
    } catch (JacksonException e) {
      throw CommandFailure.badInput("a result is no row of " + kind.command() + ": " + e.getOriginalMessage());
    }
  }

  private int mergeVerdicts(Merged merged) {
    if (out.isPresent()) {
      throw CommandFailure.badInput("--out is for results of bench, tune and fuzz; verify has --report");
    }
    var page = ReportFile.of(report);
    var rows = merged.results().values().stream().map(result -> result.verdict().row()).toList();
    if (console.json()) merged.results().values().forEach(result -> console.result(result.payload(), ""));
    rows.stream().filter(row -> row.status() == Row.Status.FAIL).forEach(row ->
        console.text("%s %s fails on %s: %s".formatted(row.kernel(), row.config(), row.backend(), row.reason())));
    tellMissing(merged);
    tellDoubles(merged);
    AtomicFile.write(page, HtmlReport.render(rows, facts(merged)));
    console.text("%d of %d shards, %d of %d runs: %s; report: %s".formatted(merged.plans().size(), merged.shards(),
        rows.size(), merged.total(), HtmlReport.summary(rows), page));
    return exitCode(merged, rows);
  }

  /** The files that are named, and those in the folders that are named, each once. */
  private Set<Path> files() {
    var files = new LinkedHashSet<Path>();
    for (var path : from) {
      try {
        if (!Files.isDirectory(path)) {
          if (!Files.isRegularFile(path)) throw InputFile.notRegular(path);
          files.add(path.toRealPath());
          continue;
        }
        try (var content = Files.list(path)) {
          var found = content.filter(file -> file.toString().endsWith(EXTENSION)).sorted().toList();
          if (found.isEmpty()) throw CommandFailure.badFile(path, "holds no results: no file ends in " + EXTENSION);
          for (var file : found) files.add(file.toRealPath());
        }
      } catch (IOException e) {
        throw CommandFailure.badFile(path, "cannot be read: " + InputFile.reason(e));
      }
    }
    return files;
  }

  private void tellMissing(Merged merged) {
    for (var shard : merged.missingShards()) {
      console.result(new Finding("missing", shard.toString(), Optional.empty()), "missing: shard " + shard);
    }
    for (var plan : merged.plans().values()) {
      var runs = merged.missingRuns(plan);
      if (!runs.isEmpty()) {
        console.text("missing: %d of the %d runs of shard %s".formatted(runs.size(), plan.runs().size(), plan.shard()));
      }
      runs.forEach(run -> console.result(new Finding("missing", plan.shard(), Optional.of(run)), "  " + run));
    }
    if (merged.incomplete().isEmpty()) return;
    console.text("what is missing runs with:");
    merged.incomplete().forEach(shard -> console.text("  " + merged.any().command(shard, folder())));
  }

  /** The folder to resume in, where one was named. */
  private String folder() {
    return from.size() == 1 && Files.isDirectory(from.getFirst()) ? from.getFirst().toString() : "DIR";
  }

  private void tellDoubles(Merged merged) {
    merged.doubles().forEach((run, results) -> {
      boolean contradiction = Merged.isContradiction(results);
      var shard = merged.plans().values().stream().filter(plan -> plan.part().holds(run)).findFirst().orElseThrow();
      console.result(new Finding(contradiction ? "contradiction" : "double", shard.shard(), Optional.of(run)),
          contradiction
              ? "contradiction: %s: %s".formatted(run,
                  results.stream().map(SweepResult::status).collect(Collectors.joining(", ")))
              : "double: %s: %d times".formatted(run, results.size()));
    });
  }

  private static LinkedHashMap<String, String> facts(Merged merged) {
    var facts = new LinkedHashMap<String, String>();
    facts.put("command", merged.any().command());
    facts.put("commit", merged.any().source().commit());
    facts.put("shards", merged.plans().size() + " of " + merged.shards());
    facts.put("runs", merged.results().size() + " of " + merged.total());
    return facts;
  }

  private static int exitCode(Merged merged, List<Row> rows) {
    boolean complete = merged.incomplete().isEmpty();
    boolean agreed = merged.doubles().values().stream().noneMatch(Merged::isContradiction);
    boolean failed = rows.stream().anyMatch(row -> row.status() == Row.Status.FAIL);
    if (!complete || !agreed || failed) return Exit.CHECK_FAILED;
    return rows.stream().anyMatch(row -> row.status() == Row.Status.PASS) ? Exit.OK : Exit.ENVIRONMENT;
  }
}
