package tilewright.cli.bench;

import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import tilewright.cli.io.CommandFailure;
import tilewright.cli.io.Console;
import tilewright.cli.io.NearestName;
import tilewright.cli.io.SourceCommit;
import tilewright.cli.io.TextTable;
import tilewright.kernels.registry.Family;
import tilewright.kernels.registry.KernelRegistry;
import tilewright.kernels.registry.Setting;
import tilewright.verification.bench.Benchmark;
import tilewright.verification.bench.BenchmarkRecord;
import tilewright.verification.bench.BenchmarkSession;
import tilewright.verification.bench.RowMeasurement;

/** Times a family in every combination of its tunings' values, and names the fastest of each problem. */
record FamilyTuning(KernelRegistry registry, Family family, Map<String, String> settings) {
  private static final int SIZE = 4096;
  private static final int MOST_SHOWN = 8;

  /** One combination on one problem; {@code settings} are what {@code --set} takes. */
  record Row(String kernel, String problem, List<String> settings, double ms, boolean fastest) {
    Row {
      Objects.requireNonNull(kernel);
      Objects.requireNonNull(problem);
      settings = List.copyOf(settings);
    }
  }

  /**
   * A tuning of the family of that name.
   *
   * @param said values by setting, several with commas between
   * @throws CommandFailure if there is no such family, it has no tuning, or no tuning has two values to compare
   */
  static FamilyTuning of(KernelRegistry registry, String name, Map<String, String> said) {
    var plain = name.replace('-', '_');
    var known = registry.families().stream().filter(f -> !tunings(f).isEmpty()).map(Family::name).toList();
    var family = registry.family(plain).orElseThrow(() -> CommandFailure.badInput("no kernel with tunings is called "
        + name + NearestName.hint(plain, known, "; there are " + String.join(", ", known))));
    var names = family.settings().stream().map(Setting::name).toList();
    for (var setting : said.keySet()) {
      if (!names.contains(setting)) {
        throw CommandFailure.badInput(plain + " has no setting " + setting
            + NearestName.hint(setting, names, "; it has " + String.join(", ", names)));
      }
    }
    var tunings = tunings(family);
    if (tunings.isEmpty()) {
      throw CommandFailure.badInput(plain + " has no tunings, only " + String.join(", ", names)
          + ": \"tilewright bench " + plain + "\" times it");
    }
    var settings = new LinkedHashMap<>(said);
    for (var tuning : tunings) {
      if (tuning.values().size() > 1) settings.putIfAbsent(tuning.name(), String.join(",", tuning.values()));
    }
    if (tunings.stream().noneMatch(t -> settings.getOrDefault(t.name(), "").contains(","))) {
      throw CommandFailure.badInput("nothing to compare: name values of a tuning, such as --set "
          + tunings.getFirst().name() + "=64,128,256; " + plain + " can be tuned in "
          + tunings.stream().map(Setting::name).collect(Collectors.joining(", ")));
    }
    return new FamilyTuning(registry, family, Map.copyOf(settings));
  }

  private static List<Setting> tunings(Family family) {
    return family.settings().stream().filter(s -> s.kind() == Setting.Kind.TUNING).toList();
  }

  private Benchmark.Options options() {
    return new Benchmark.Options(List.of(family.name()), settings, false, SIZE, 0, Optional.empty(),
        SourceCommit.find());
  }

  /** Opens this machine's GPU for measurements of one combination at a time, none of which is the fastest yet. */
  RowMeasurement<Row> open(Console console) {
    var session = BenchmarkSession.open(registry, options(), step -> console.progress("timing " + step));
    return new RowMeasurement<>() {
      @Override
      public String device() {
        return session.device();
      }

      @Override
      public List<String> keys() {
        return session.keys();
      }

      @Override
      public Row measure(String key) {
        return row(session.measure(key).rows().getFirst());
      }

      @Override
      public void close() {
        session.close();
      }
    };
  }

  /** The command line of this tuning, always the same one for the same combinations. */
  List<String> arguments() {
    return Stream.concat(Stream.of(family.name()), settings.entrySet().stream()
        .map(e -> e.getKey() + "=" + e.getValue()).sorted().flatMap(setting -> Stream.of("--set", setting))).toList();
  }

  /** Measures on this machine's GPU. */
  List<Row> measure(Console console) {
    var record = Benchmark.run(registry, options(), new Benchmark.Progress() {
      @Override
      public void step(String description) {
        console.progress("timing " + description);
      }

      @Override
      public void partial(BenchmarkRecord soFar) {}
    });
    console.progressDone();
    return ranked(record.rows());
  }

  /** The rows of each problem together, the fastest first. */
  List<Row> ranked(List<BenchmarkRecord.Row> measured) {
    return rankedRows(measured.stream().map(this::row).toList());
  }

  /** A combination of which it is not known yet whether it is the fastest. */
  private Row row(BenchmarkRecord.Row measured) {
    return new Row(measured.kernel(), String.join(" ", words(measured.config(), false)),
        words(measured.config(), true), measured.ms(), false);
  }

  /** The rows of each problem together, the fastest first and marked as such. */
  static List<Row> rankedRows(List<Row> measured) {
    var byProblem = measured.stream().sorted(Comparator.comparingDouble(Row::ms))
        .collect(Collectors.groupingBy(Row::problem, LinkedHashMap::new, Collectors.toList()));
    return byProblem.values().stream().flatMap(problem -> problem.stream().map(row ->
        new Row(row.kernel, row.problem, row.settings, row.ms, row == problem.getFirst()))).toList();
  }

  /** The words {@code name=value} of a configuration that are tunings, or those that are not. */
  private List<String> words(String config, boolean tuning) {
    var names = tunings(family).stream().map(Setting::name).toList();
    return Stream.of(config.split(" ")).filter(word -> names.contains(word.replaceFirst("=.*", "")) == tuning).toList();
  }

  /** A table of the fastest combinations of each problem. */
  static String table(List<Row> rows) {
    var text = new TextTable("kernel", "problem", "settings", "ms", "fastest");
    rows.stream().collect(Collectors.groupingBy(Row::problem, LinkedHashMap::new, Collectors.toList())).values()
        .forEach(problem -> problem.stream().limit(MOST_SHOWN).forEach(row -> text.add(row.kernel, row.problem,
            String.join(" ", row.settings), "%.4f".formatted(row.ms), row.fastest ? "yes" : "")));
    return text.toString();
  }
}
