package tilewright.verification.benchmark;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.LinkedHashMap;
import java.util.Map;
import org.openjdk.jmh.profile.GCProfiler;
import org.openjdk.jmh.results.RunResult;
import org.openjdk.jmh.runner.Runner;
import org.openjdk.jmh.runner.RunnerException;
import org.openjdk.jmh.runner.options.OptionsBuilder;
import tools.jackson.databind.SerializationFeature;
import tools.jackson.databind.json.JsonMapper;

/** Runs all benchmarks under JMH and writes what was measured, as {@code docs/benchmarks/jmh} keeps it. */
public final class BenchmarkRun {
  private BenchmarkRun() {}

  /** The argument is the file to write. */
  public static void main(String[] arguments) throws RunnerException, IOException {
    var options = new OptionsBuilder().include(LayoutBenchmark.class.getName() + ".*").addProfiler(GCProfiler.class)
        .jvmArgsAppend("--sun-misc-unsafe-memory-access=allow").build();
    var rows = new Runner(options).run().stream().map(BenchmarkRun::row).toList();
    var record = new LinkedHashMap<String, Object>();
    record.put("date", LocalDate.now(ZoneOffset.UTC).toString());
    record.put("processor", processor());
    record.put("java", Runtime.version().toString());
    record.put("rows", rows);
    var file = Path.of(arguments[0]);
    Files.createDirectories(file.toAbsolutePath().getParent());
    var json = JsonMapper.builder().enable(SerializationFeature.INDENT_OUTPUT).build();
    Files.writeString(file, json.writeValueAsString(record) + "\n");
  }

  private static Map<String, Object> row(RunResult result) {
    var name = result.getParams().getBenchmark();
    var row = new LinkedHashMap<String, Object>();
    row.put("operation", name.substring(name.lastIndexOf('.') + 1));
    row.put("ns", rounded(result.getPrimaryResult().getScore()));
    row.put("error", rounded(result.getPrimaryResult().getScoreError()));
    row.put("bytes", rounded(result.getSecondaryResults().get("gc.alloc.rate.norm").getScore()));
    return row;
  }

  private static double rounded(double value) {
    return Math.round(value * 10) / 10.0;
  }

  /** The processor's name where Linux tells it. */
  private static String processor() throws IOException {
    var file = Path.of("/proc/cpuinfo");
    if (!Files.isReadable(file)) return System.getProperty("os.arch");
    return Files.readAllLines(file).stream().filter(line -> line.startsWith("model name"))
        .map(line -> line.substring(line.indexOf(':') + 2)).findFirst().orElse(System.getProperty("os.arch"));
  }
}
