package tilewright.verification.benchmark;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.openjdk.jmh.profile.GCProfiler;
import org.openjdk.jmh.results.RunResult;
import org.openjdk.jmh.runner.Runner;
import org.openjdk.jmh.runner.RunnerException;
import org.openjdk.jmh.runner.options.OptionsBuilder;
import tilewright.verification.bench.Processor;
import tools.jackson.databind.SerializationFeature;
import tools.jackson.databind.json.JsonMapper;

/** Runs benchmarks under JMH and writes the measurements, as {@code docs/benchmarks/jmh} keeps them. */
public final class BenchmarkRun {
  /** The benchmarks by the names of their records. */
  private static final Map<String, Class<?>> RECORDS = new TreeMap<>(Map.of("layout-algebra", LayoutBenchmark.class,
      "simulator", InstructionBenchmark.class, "tracing", TracingBenchmark.class,
      "reference", ReferenceBenchmark.class, "choice", ChoiceBenchmark.class));

  private BenchmarkRun() {}

  /** Arguments: the folder to write to, then the names of records, or none for all of them. */
  public static void main(String[] arguments) throws RunnerException, IOException {
    var chosen = Arrays.stream(arguments).skip(1).flatMap(names -> Arrays.stream(names.split(","))).toList();
    if (!RECORDS.keySet().containsAll(chosen)) {
      throw new IllegalArgumentException("records are " + RECORDS.keySet() + ", not " + chosen);
    }
    for (var record : RECORDS.entrySet()) {
      if (!chosen.isEmpty() && !chosen.contains(record.getKey())) continue;
      write(Path.of(arguments[0], record.getKey() + ".json"), record.getValue());
    }
  }

  private static void write(Path file, Class<?> benchmark) throws RunnerException, IOException {
    var options = new OptionsBuilder().include(Pattern.quote(benchmark.getName()) + "\\..*")
        .addProfiler(GCProfiler.class)
        .jvmArgsAppend("--sun-misc-unsafe-memory-access=allow", "--add-modules", "jdk.incubator.vector").build();
    var rows = new Runner(options).run().stream().map(BenchmarkRun::row).toList();
    var record = new LinkedHashMap<String, Object>();
    record.put("date", LocalDate.now(ZoneOffset.UTC).toString());
    record.put("processor", Processor.name());
    record.put("java", Runtime.version().toString());
    record.put("rows", rows);
    Files.createDirectories(file.toAbsolutePath().getParent());
    var json = JsonMapper.builder().enable(SerializationFeature.INDENT_OUTPUT).build();
    Files.writeString(file, json.writeValueAsString(record) + "\n");
  }

  private static Map<String, Object> row(RunResult result) {
    var name = result.getParams().getBenchmark();
    var row = new LinkedHashMap<String, Object>();
    var settings = result.getParams().getParamsKeys().stream()
        .map(key -> " " + key + "=" + result.getParams().getParam(key)).collect(Collectors.joining());
    row.put("operation", name.substring(name.lastIndexOf('.') + 1) + settings);
    row.put("ns", rounded(result.getPrimaryResult().getScore()));
    row.put("error", rounded(result.getPrimaryResult().getScoreError()));
    row.put("bytes", rounded(result.getSecondaryResults().get("gc.alloc.rate.norm").getScore()));
    return row;
  }

  private static double rounded(double value) {
    return Math.round(value * 10) / 10.0;
  }
}
