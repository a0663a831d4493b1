package tilewright.cli.sweep;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.InputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tilewright.cli.io.CommandFailure;
import tilewright.cli.io.Console;
import tilewright.verification.Row;
import tilewright.verification.RunKey;
import tilewright.verification.Shard;

/** Sweeps of runs that are not made: only their bookkeeping is. */
class MergeTest {
  private static final SweepSource SOURCE = new SweepSource("verify", "0123abc", Optional.empty());
  private static final List<String> ARGUMENTS = List.of("--on", "sim");

  @TempDir
  Path folder;

  private final Console console = new Console(InputStream.nullInputStream(),
      new PrintStream(PrintStream.nullOutputStream()), new PrintStream(PrintStream.nullOutputStream()));

  private static List<RunKey> keys(int count) {
    return IntStream.range(0, count).mapToObj(i -> new RunKey("k" + i % 7, "sm80", "sim", "n=" + i / 7, 1, 1)).toList();
  }

  private static SweepPlan plan(List<RunKey> keys, Shard shard) {
    return SweepPlan.of(SOURCE, ARGUMENTS, shard, keys.stream().map(RunKey::text).toList());
  }

  private static SweepResult result(RunKey key, Row.Status status) {
    return SweepResult.of(SOURCE, Verdict.of(key, new Row(key.kernel(), key.arch(), key.backend(), key.config(), status,
        OptionalDouble.of(Double.NaN), OptionalDouble.empty(), Optional.of(false), 2, 0.5, "why \"é\"\n")));
  }

  /** Makes the runs of a shard that its file lacks, at most {@code most} of them. */
  private int run(List<RunKey> keys, Shard shard, int most) {
    var plan = plan(keys, shard);
    try (var writer = ResultsWriter.open(folder, plan, console)) {
      var made = keys.stream().filter(key -> writer.pending().contains(key.text())).limit(most).toList();
      made.forEach(key -> writer.append(result(key, Row.Status.PASS)));
      return made.size();
    }
  }

  private Merged merged() throws IOException {
    try (var files = Files.list(folder)) {
      return Merged.of(files.sorted().map(SweepFile::read).toList());
    }
  }

  private static Set<String> texts(List<RunKey> keys) {
    return new TreeSet<>(keys.stream().map(RunKey::text).toList());
  }

  @Test
  void tenThousandRunsInSixteenShardsThatAreInterruptedAndResumed() throws IOException {
    var keys = keys(10_000);
    var random = new Random(34);
    int made = 0;
    for (int i = 1; i <= 16; i++) {
      var shard = new Shard(i, 16);
      made += run(keys, shard, random.nextInt(400));
      var file = folder.resolve(ResultsWriter.name("verify", shard));
      var bytes = Files.readAllBytes(file);
      int cut = random.nextInt(100);
      // A plan is far longer than that; a result is longer too, so one run at most is lost.
      Files.write(file, Arrays.copyOf(bytes, bytes.length - cut));
    }
    var before = merged();
    var missing = new TreeSet<String>();
    before.plans().values().forEach(plan -> missing.addAll(before.missingRuns(plan)));
    before.missingShards().forEach(shard -> missing.addAll(plan(keys, shard).runs()));
    var there = new TreeSet<>(before.results().keySet());
    assertTrue(there.size() >= made - 16, there.size() + " of " + made);
    there.addAll(missing);
    assertEquals(texts(keys), there);
    assertEquals(10_000, before.results().size() + missing.size());

    for (var shard : before.incomplete()) run(keys, shard, Integer.MAX_VALUE);
    var after = merged();
    assertEquals(texts(keys), new TreeSet<>(after.results().keySet()));
    assertEquals(List.of(), after.incomplete());
    assertTrue(after.doubles().isEmpty());
  }

  @Test
  void aFileThatIsCutAnywhereIsResumed() throws IOException {
    var keys = keys(2);
    run(keys, Shard.WHOLE, 2);
    var file = folder.resolve(ResultsWriter.name("verify", Shard.WHOLE));
    var whole = Files.readAllBytes(file);
    for (int length = 0; length <= whole.length; length++) {
      Files.write(file, Arrays.copyOf(whole, length));
      long lines = new String(whole, 0, length, StandardCharsets.ISO_8859_1).chars()
          .filter(c -> c == '\n').count();
      assertEquals(2 - Math.max(0, lines - 1), run(keys, Shard.WHOLE, 2), "cut at " + length);
      assertEquals(new String(whole), Files.readString(file), "cut at " + length);
    }
  }

  @Test
  void whatIsMissingOrDoubleIsTold() throws IOException {
    var keys = keys(30);
    for (int i = 1; i <= 2; i++) run(keys, new Shard(i, 3), Integer.MAX_VALUE);
    var second = keys.stream().filter(key -> new Shard(2, 3).holds(key.text())).toList();
    try (var writer = ResultsWriter.open(folder, plan(keys, new Shard(2, 3)), console)) {
      writer.append(result(second.getFirst(), Row.Status.PASS));
      writer.append(result(second.getLast(), Row.Status.FAIL));
    }
    var merged = merged();
    assertEquals(List.of(new Shard(3, 3)), merged.missingShards());
    assertEquals(List.of(new Shard(3, 3)), merged.incomplete());
    assertEquals(texts(List.of(second.getFirst(), second.getLast())), merged.doubles().keySet());
    assertTrue(!Merged.isContradiction(merged.doubles().get(second.getFirst().text())));
    assertTrue(Merged.isContradiction(merged.doubles().get(second.getLast().text())));
    assertEquals(Row.Status.FAIL, merged.results().get(second.getLast().text()).verdict().row().status());
  }

  @Test
  void resultsOfAnotherSweepAreRefused() throws IOException {
    var keys = keys(8);
    var all = keys.stream().map(RunKey::text).toList();
    run(keys, Shard.WHOLE, 8);
    var others = List.of(SweepPlan.of(new SweepSource("verify", "fedcba9", Optional.empty()), ARGUMENTS, Shard.WHOLE,
        all),
        SweepPlan.of(SOURCE, List.of("--on", "gpu"), Shard.WHOLE, all), plan(keys(9), Shard.WHOLE));
    for (var other : others) {
      var e = assertThrows(CommandFailure.class, () -> ResultsWriter.open(folder, other, console));
      assertTrue(e.getMessage().contains("--results"), e.getMessage());
    }
    var strangers = new ArrayList<>(others);
    strangers.add(plan(keys, new Shard(1, 2)));
    for (var stranger : strangers) {
      var files = List.of(SweepFile.read(folder.resolve(ResultsWriter.name("verify", Shard.WHOLE))),
          new SweepFile(Path.of("stranger.jsonl"), List.of(stranger), List.of(), 0, Optional.empty()));
      var e = assertThrows(CommandFailure.class, () -> Merged.of(files));
      assertTrue(e.getMessage().startsWith("stranger.jsonl: "), e.getMessage());
    }
  }

  @Test
  void aDamagedLineAmongOthersIsRefusedByItsNumber() throws IOException {
    run(keys(3), Shard.WHOLE, 3);
    var file = folder.resolve(ResultsWriter.name("verify", Shard.WHOLE));
    var lines = Files.readAllLines(file);
    for (var damage : List.of("", "{", "null", "[]", "7", "{}", "{\"kernel\":1}", "{\"runs\":[]}", "\u0000\u0000",
        lines.get(2).replace("pass", "perhaps"), lines.get(0).replace("\"version\":2", "\"version\":3"))) {
      Files.write(file, Stream.of(lines.get(0), lines.get(1), damage, lines.get(3)).toList());
      var e = assertThrows(CommandFailure.class, () -> SweepFile.read(file), damage);
      assertTrue(e.getMessage().contains("line 3 "), e.getMessage());
    }
  }

  /** A file of format 1, which the program wrote before {@code bench} and {@code tune} could be divided. */
  @Test
  void aFileOfFormat1IsMerged() throws IOException {
    var key = "relu sm80 sim n=5 seed=3 #2";
    Files.write(folder.resolve("verify-1-of-1.jsonl"), List.of(
        """
        {"version":1,"commit":"0123abc","arguments":["--on","sim"],"shard":"1/1","total":1,\
        "runs":["relu sm80 sim n=5 seed=3 #2"]}""",
        """
        {"commit":"0123abc","kernel":"relu","arch":"sm80","backend":"sim","config":"n=5","seed":3,"number":2,\
        "status":"fail","maxError":0.5,"meanError":null,"bitExact":false,"findings":1,"ms":2.5,"reason":"why"}"""));
    var merged = merged();
    assertEquals("verify --on sim", merged.any().command());
    assertEquals(SOURCE, merged.any().source());
    assertEquals(List.of(), merged.incomplete());
    var row = merged.results().get(key).verdict().row();
    assertEquals("relu n=5 seed=3 fail 0.5", "%s %s %s %s".formatted(row.kernel(), row.config(), row.status().text(),
        row.maxError().orElseThrow()));
  }

  @Test
  void twoRunsDoNotWriteOneFile() {
    var plan = plan(keys(3), Shard.WHOLE);
    try (var _ = ResultsWriter.open(folder, plan, console)) {
      var e = assertThrows(CommandFailure.class, () -> ResultsWriter.open(folder, plan, console));
      assertTrue(e.getMessage().contains("another run is writing it"), e.getMessage());
    }
  }
}
