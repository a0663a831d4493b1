package tilewright.cli.sweep;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tilewright.cli.Cli;
import tilewright.cli.io.Exit;
import tools.jackson.databind.JsonNode;

class ShardedVerifyTest {
  private static final int SHARDS = 3;

  @TempDir
  Path folder;
  private Path results;
  private Path report;

  @BeforeEach
  void nameFiles() {
    results = folder.resolve("results");
    report = folder.resolve("report.html");
  }

  private static Cli verify(String... more) {
    return Cli.run(Stream.concat(Stream.of("verify", "relu", "--set", "dtype=f16", "--set", "vec=4", "--on", "sim",
        "--json"), Stream.of(more)).toArray(String[]::new));
  }

  private Cli shard(int i) {
    return verify("--seeds", "2", "--shard", i + "/" + SHARDS, "--results", results.toString());
  }

  private Cli merge() {
    return Cli.run("merge", results.toString(), "--json", "--report", report.toString());
  }

  private static String key(JsonNode row, String seed) {
    return row.get("config").asString() + seed;
  }

  @Test
  void theShardsOfOneCommitMakeTheRunsOfTheWhole() throws IOException {
    var expected = new ArrayList<String>();
    for (var seed : List.of("1", "2")) {
      var whole = verify("--seed", seed, "--report", report.toString());
      whole.json().forEach(row -> expected.add(key(row, " " + seed)));
    }
    for (int i = 1; i <= SHARDS; i++) assertEquals(Exit.OK, shard(i).exitCode());
    var merged = merge();
    assertEquals(Exit.OK, merged.exitCode(), merged.err());
    assertEquals(expected.stream().sorted().toList(),
        merged.json().stream().map(row -> key(row, " " + row.get("seed").asString())).sorted().toList());
    assertTrue(Files.readString(report).contains(expected.size() + " passed, 0 failed"));

    var first = results.resolve("verify-1-of-3.jsonl");
    Files.writeString(first, Files.readString(first).replaceAll("\"commit\":\"[^\"]*\"", "\"commit\":\"feed\""));
    refused(shard(1), "holds results of commit feed");
    refused(merge(), "is of another sweep");
  }

  private static void refused(Cli run, String reason) {
    assertEquals(Exit.BAD_INPUT, run.exitCode());
    assertTrue(run.err().contains(reason), run.err());
    assertEquals(1, run.err().lines().count(), run.err());
  }

  @Test
  void mergeNamesTheCommandsThatRunWhatIsMissing() throws IOException {
    shard(1);
    shard(2);
    var second = results.resolve("verify-2-of-3.jsonl");
    var bytes = Files.readAllBytes(second);
    Files.write(second, Arrays.copyOf(bytes, bytes.length - 5));
    var part = merge();
    assertEquals(Exit.CHECK_FAILED, part.exitCode());
    assertTrue(part.err().contains("is cut off"), part.err());
    assertEquals(List.of("3/3", "2/3"), part.json().stream().filter(row -> row.has("finding"))
        .map(row -> row.get("shard").asString()).toList());
    var commands = part.err().lines().map(String::strip).filter(line -> line.startsWith("./tilewright ")).toList();
    assertEquals(2, commands.size(), part.err());
    for (var command : commands) {
      var run = Cli.run((command + " --json").substring("./tilewright ".length()).split(" "));
      assertEquals(Exit.OK, run.exitCode(), run.err());
      if (command.contains("2/3")) assertEquals(1, run.json().size(), run.out());
    }
    assertEquals(Exit.OK, merge().exitCode());
  }
}
