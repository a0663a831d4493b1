package tilewright.cli.fuzz;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tilewright.cli.Cli;
import tilewright.cli.io.Exit;
import tilewright.simulator.fuzz.PtxTrial.Failure;
import tools.jackson.databind.JsonNode;

class FuzzCommandTest {
  private static final int SEEDS = 6;

  @TempDir
  Path folder;

  private static Cli fuzz(String... more) {
    return Cli.run(Stream.concat(Stream.of("fuzz", "vector-add", "--texts", "5", "--seeds", "" + SEEDS, "--json"),
        Stream.of(more)).toArray(String[]::new));
  }

  private static List<Long> seeds(List<JsonNode> rows) {
    return rows.stream().map(row -> row.get("seed").asLong()).sorted().toList();
  }

  @Test
  void shardsMakeTheRunsOfTheWholeAndGoOnWhereTheyWereInterrupted() throws IOException {
    var results = folder.resolve("results");
    for (int i = 1; i <= 2; i++) assertEquals(Exit.OK, fuzz("--shard", i + "/2", "--results", "" + results).exitCode());
    var first = results.resolve("fuzz-1-of-2.jsonl");
    var lines = Files.readAllLines(first);
    assertTrue(lines.get(1).contains("vector_add sm80 fuzz texts=5 seed="), lines::toString);
    Files.write(first, lines.subList(0, lines.size() - 1));
    var part = Cli.run("merge", results.toString(), "--json");
    assertEquals(Exit.CHECK_FAILED, part.exitCode());
    assertTrue(part.err().contains("./tilewright fuzz vector_add --seed 1 --seeds 6 --texts 5 --shard 1/2"),
        part.err());
    assertEquals(Exit.OK, fuzz("--shard", "1/2", "--results", "" + results).exitCode());
    assertEquals(lines.size(), Files.readAllLines(first).size());
    var merged = Cli.run("merge", results.toString(), "--json");
    assertEquals(Exit.OK, merged.exitCode(), merged.err());
    assertEquals(IntStream.rangeClosed(1, SEEDS).asLongStream().boxed().toList(), seeds(merged.json()));
  }

  @Test
  void eachKindOfFailureIsToldOnce() {
    var shorter = new Failure("ClassCastException at Loads.java:1", "ret;", "number 7: no Register");
    var longer = new Failure("ClassCastException at Loads.java:1", "ret;\nret;", "number 9: no Register");
    var report = FuzzReport.joined(List.of(row(1, longer), row(2, shorter), row(3)));
    assertFalse(report.sound());
    assertTrue(report.text().startsWith("15 texts in 3 runs: 1 kind of failures"), report::text);
    assertTrue(report.text().contains("vector_add seed 2, number 7") && !report.text().contains("number 9"),
        report::text);
    assertTrue(FuzzReport.joined(List.of(row(3))).sound());
  }

  private static FuzzRow row(long seed, Failure... failures) {
    return new FuzzRow("vector_add", "sm80", "texts=5", seed, 5, List.of(failures));
  }

  @Test
  void badNumbersAreRefused() {
    for (var option : List.of("--texts", "--seeds")) {
      var run = Cli.run("fuzz", "vector-add", option, "0");
      assertEquals(Exit.BAD_INPUT, run.exitCode());
      assertTrue(run.err().contains("invalid " + option + " 0"), run.err());
    }
    assertEquals(Exit.BAD_INPUT, Cli.run("fuzz", "--seed", "-1").exitCode());
    assertTrue(Cli.run("fuzz", "vectoradd").err().contains("vector_add"));
  }
}
