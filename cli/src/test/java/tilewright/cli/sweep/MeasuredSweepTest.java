package tilewright.cli.sweep;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.InputStream;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;
import tilewright.cli.Cli;
import tilewright.cli.io.CommandFailure;
import tilewright.cli.io.Console;
import tilewright.cli.io.Exit;
import tilewright.verification.bench.BenchmarkRecord;
import tilewright.verification.bench.RowMeasurement;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Shards of {@code bench} and {@code tune} whose rows are made up: no GPU is needed, and no time is measured. */
class MeasuredSweepTest {
  private static final int SHARDS = 3;
  private static final List<String> KEYS = IntStream.range(0, 12).mapToObj(i -> "k" + i).toList();

  @TempDir
  Path folder;
  private Path results;
  private Path out;

  private final Console console = new Console(InputStream.nullInputStream(),
      new PrintStream(PrintStream.nullOutputStream()), new PrintStream(PrintStream.nullOutputStream()));

  @BeforeEach
  void nameFiles() {
    results = folder.resolve("results");
    out = folder.resolve("record.json");
  }

  /** A machine that fails before the row after {@code most}. */
  private record Machine(String device, String driver, double copyRate, int most, List<String> measured)
      implements RowMeasurement<BenchmarkRecord> {
    static Machine of(String device) {
      return new Machine(device, "13.0", 3, Integer.MAX_VALUE, new ArrayList<>());
    }

    @Override
    public List<String> keys() {
      return KEYS;
    }

    @Override
    public BenchmarkRecord measure(String key) {
      if (measured.size() == most) throw new IllegalStateException("preempted");
      measured.add(key);
      return new BenchmarkRecord("2026-01-0" + (1 + measured.size() % 2), device, driver, Map.of("torch", "2"), "c0",
          Map.of("copy", copyRate), 0, List.of(row(key)));
    }

    @Override
    public void close() {}
  }

  private static BenchmarkRecord.Row row(String key) {
    return new BenchmarkRecord.Row(key, "sm80", "n=5", "TB/s", key.length() + 0.25, 0.1, List.of(0.1, 0.2), 7, 0,
        Optional.of(3.0), Optional.empty(), Map.of("torch", 2.5), Optional.of(1.5), Optional.of(List.of(1.0, 2.0)));
  }

  private List<BenchmarkRecord> run(int shard, Machine machine) {
    return run(shard, "bench", machine, BenchmarkRecord.class);
  }

  private <R> List<R> run(int shard, String command, RowMeasurement<R> machine, Class<R> type) {
    var sweep = CommandLine.populateCommand(new SweepOptions(), "--shard", shard + "/" + SHARDS, "--results",
        results.toString());
    var divided = new DividedCommand(command, "c0", List.of("k"));
    return MeasuredShard.run(divided, machine, type, sweep, _ -> {}, console);
  }

  private Cli merge() {
    return Cli.run("merge", results.toString(), "--out", out.toString(), "--json");
  }

  private static void refused(Cli run, String reason) {
    assertEquals(Exit.BAD_INPUT, run.exitCode(), run.err());
    assertTrue(run.err().contains(reason), run.err());
    assertEquals(1, run.err().lines().count(), run.err());
  }

  @Test
  void interruptedShardsMakeOneRecordWithEveryRowOnce() throws IOException {
    var all = new ArrayList<String>();
    for (int i = 1; i <= SHARDS; i++) {
      int shard = i;
      var first = new Machine("H200", "13.0", 2 + i, 1, new ArrayList<>());
      assertThrows(IllegalStateException.class, () -> run(shard, first));
      if (i == 1) assertEquals(Exit.CHECK_FAILED, merge().exitCode(), "rows and shards are missing");
      var second = Machine.of("H200");
      assertEquals(run(shard, second).size(), 1 + second.measured().size());
      all.addAll(first.measured());
      all.addAll(second.measured());
    }
    assertEquals(KEYS.stream().sorted().toList(), all.stream().sorted().toList());
    var merged = merge();
    assertEquals(Exit.OK, merged.exitCode(), merged.err());
    var expected = new BenchmarkRecord("2026-01-02", "H200", "13.0", Map.of("torch", "2"), "c0", Map.of("copy", 5.0),
        0, KEYS.stream().sorted().map(MeasuredSweepTest::row).toList());
    assertEquals(expected, JsonMapper.shared().readValue(Files.readString(out), BenchmarkRecord.class));
    assertEquals(List.of(expected), merged.json().stream()
        .map(json -> JsonMapper.shared().treeToValue(json, BenchmarkRecord.class)).toList());
  }

  @Test
  void missingAndDoubleRowsAreTold() throws IOException {
    assertThrows(IllegalStateException.class,
        () -> run(1, new Machine("H200", "13.0", 3, 1, new ArrayList<>())));
    var file = results.resolve("bench-1-of-3.jsonl");
    var lines = Files.readAllLines(file);
    Files.writeString(file, lines.getLast() + "\n", StandardOpenOption.APPEND);
    var merged = merge();
    assertEquals(Exit.CHECK_FAILED, merged.exitCode());
    var planned = JsonMapper.shared().readTree(lines.getFirst()).get("runs").size();
    assertEquals(planned - 1, findings(merged, "missing").stream().filter(json -> json.hasNonNull("run")).count());
    assertEquals(List.of(JsonMapper.shared().readTree(lines.getLast()).get("run").asString()),
        findings(merged, "double").stream().map(json -> json.get("run").asString()).toList());
    assertTrue(merged.err().contains("./tilewright bench k --shard 2/3 --results " + results), merged.err());
  }

  @Test
  void aRowWithoutItsFactsIsRefused() throws IOException {
    run(1, Machine.of("H200"));
    var file = results.resolve("bench-1-of-3.jsonl");
    var lines = new ArrayList<>(Files.readAllLines(file));
    for (var payload : List.of("{}", "{\"processor\":7}", "{\"date\":[]}")) {
      lines.set(1, lines.get(1).replaceFirst("\"payload\":.*", "\"payload\":" + payload + "}"));
      Files.write(file, lines);
      refused(merge(), "a result is no row of bench");
      var e = assertThrows(CommandFailure.class, () -> run(1, Machine.of("H200")), payload);
      assertTrue(e.getMessage().contains("--results"), e.getMessage());
    }
  }

  private static List<JsonNode> findings(Cli run, String kind) {
    return run.json().stream().filter(json -> json.path("finding").asString("").equals(kind)).toList();
  }

  @Test
  void otherGpusCommitsDriversAndCommandsAreNotMixed() throws IOException {
    run(1, Machine.of("H200"));
    var e = assertThrows(CommandFailure.class, () -> run(1, Machine.of("H100")));
    assertTrue(e.getMessage().contains("holds results of H200, this is H100"), e.getMessage());
    run(2, Machine.of("H100"));
    refused(merge(), "is of another sweep: of H100, other files are of H200");

    var second = results.resolve("bench-2-of-3.jsonl");
    Files.writeString(second, Files.readString(second).replace("\"device\":\"H100\"", "\"device\":\"H200\"")
        .replaceAll("\"commit\":\"[^\"]*\",\"device\"", "\"commit\":\"feed\",\"device\""));
    refused(merge(), "is of another sweep: of commit feed");

    Files.delete(second);
    run(2, new Machine("H200", "12.8", 3, Integer.MAX_VALUE, new ArrayList<>()));
    refused(merge(), "rows of different machines do not make one record: driver ");

    Files.delete(second);
    run(2, "tune", Machine.of("H200"), BenchmarkRecord.class);
    refused(merge(), "is of another sweep: of the command tune, other files are of the command bench");
    refused(Cli.run("merge", results.resolve("bench-1-of-3.jsonl").toString(), "--report", "x.html"), "--report");
  }

  /** A combination of {@code tune relu}, as its line has it. */
  private record Combination(String kernel, String problem, List<String> settings, double ms, boolean fastest) {}

  @Test
  void combinationsOfAllShardsAreRankedTogether() throws IOException {
    for (int i = 1; i <= SHARDS; i++) {
      run(i, "tune", new RowMeasurement<Combination>() {
        @Override
        public String device() {
          return "H200";
        }

        @Override
        public List<String> keys() {
          return KEYS;
        }

        @Override
        public Combination measure(String key) {
          int number = KEYS.indexOf(key);
          return new Combination("relu", "n=" + number % 2, List.of("threads=" + number), 20 - number, false);
        }

        @Override
        public void close() {}
      }, Combination.class);
    }
    var merged = merge();
    assertEquals(Exit.OK, merged.exitCode(), merged.err());
    assertEquals(KEYS.size(), merged.json().size());
    assertEquals(List.of("n=1 threads=11", "n=0 threads=10"), merged.json().stream()
        .filter(row -> row.get("fastest").asBoolean())
        .map(row -> row.get("problem").asString() + " " + row.get("settings").get(0).asString()).toList());
    assertEquals(merged.json(), JsonMapper.shared().readTree(Files.readString(out)).valueStream().toList());
  }

  @Test
  void theSimulatorsRowsAreDividedToo() {
    for (int i = 1; i <= 2; i++) {
      var run = Cli.run("bench", "relu", "--on", "sim", "--shard", i + "/2", "--results", results.toString());
      assertEquals(Exit.OK, run.exitCode(), run.err());
    }
    var merged = merge();
    assertEquals(Exit.OK, merged.exitCode(), merged.err());
    assertEquals(List.of("relu"), merged.json().getFirst().get("clocked").valueStream()
        .map(row -> row.get("kernel").asString()).toList());
  }

  @Test
  void whatIsNotMadeOfRowsIsNotDivided() {
    refused(Cli.run("bench", "--measure", "soak", "--shard", "1/2"), "only kernels' rows can be divided");
    refused(Cli.run("bench", "--gpus", "2", "--results", results.toString()), "only kernels' rows can be divided");
  }
}
