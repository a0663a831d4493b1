package tilewright.cli.launch;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tilewright.cli.Cli;
import tilewright.cli.io.Exit;
import tools.jackson.databind.json.JsonMapper;

/** What {@code sim} says of launches: a line each, elements by coordinate, limits, profiles and traces. */
class SimReportTest {
  /** Each thread doubles the word with its number and stores it where block and thread say. */
  private static final String PTX = """
      .version 8.0
      .target sm_80
      .address_size 64
      .visible .entry k(.param .u64 in, .param .u64 out)
      {
        .reg .b32 %r<4>;
        .reg .b64 %rd<8>;
        ld.param.u64 %rd1, [in];
        ld.param.u64 %rd2, [out];
        mov.u32 %r1, %tid.x;
        mul.wide.u32 %rd3, %r1, 4;
        add.u64 %rd4, %rd1, %rd3;
        add.u64 %rd5, %rd2, %rd3;
        ld.global.u32 %r2, [%rd4];
        bar.sync 0;
        add.u32 %r2, %r2, %r2;
        st.global.u32 [%rd5], %r2;
        ret;
      }
      """;
  private static final String ENDLESS = """
      .version 8.0
      .target sm_80
      .address_size 64
      .visible .entry k()
      {
        AGAIN: bra AGAIN;
      }
      """;

  @TempDir
  Path folder;

  @BeforeEach
  void writeKernelAndExpectation() throws IOException {
    Files.writeString(folder.resolve("k.ptx"), PTX);
    Files.writeString(folder.resolve("endless.ptx"), ENDLESS);
    Files.write(folder.resolve("twos.bin"), words(64, 2));
  }

  private static byte[] words(int count, int value) {
    var bytes = new byte[4 * count];
    for (int i = 0; i < count; i++) bytes[4 * i] = (byte) value;
    return bytes;
  }

  /** A launch of 64 threads in a folder of its own. */
  private String launch(String name, String in, int blocks) throws IOException {
    Files.write(folder.resolve("in.bin"), words(64, 1));
    return write(name, """
        {"ptx": "../k.ptx", "entry": "k", "grid": [%d], "block": [64],
         "buffers": {"in": %s, "out": {"bytes": 256, "fill": 0, "dtype": "u32", "layout": "(8,8):(8,1)"}},
         "args": [{"buffer": "in"}, {"buffer": "out"}], "expect": {"out": "../twos.bin"}}
        """.formatted(blocks, in));
  }

  private String write(String name, String json) throws IOException {
    var below = Files.createDirectories(folder.resolve(name));
    return Files.writeString(below.resolve("launch.json"), json).toString();
  }

  @Test
  void everyLaunchBelowAFolderGetsOneLineAndTheWholeASummary() throws IOException {
    launch("a", "{\"file\": \"../in.bin\"}", 1);
    launch("b", "{\"bytes\": 256, \"fill\": 1}", 1);
    write("c", "{\"ptx\": \"../k.ptx\", \"entry\": \"k\"}");
    var run = Cli.run("sim", "--allow-outside", folder.toString());
    assertEquals(Exit.BAD_INPUT, run.exitCode());
    var lines = run.out().lines().toList();
    assertEquals(4, lines.size(), run.out());
    assertTrue(lines.get(0).matches("OK +.*a/launch.json +[0-9.]+ ms, 704 instructions"), run.out());
    assertTrue(lines.get(1).startsWith("DIFF  "), run.out());
    assertTrue(lines.get(2).matches("REFUSED +.*c/launch.json: lacks \"args\""), run.out());
    assertEquals("3 launches: 1 ok, 1 differs, 1 refused", lines.get(3));
  }

  @Test
  void aDifferenceNamesTheElement() throws IOException {
    var ones = words(64, 1);
    ones[4 * 19] = 3;
    var path = launch("a", "{\"file\": \"../in.bin\"}", 1);
    Files.write(folder.resolve("in.bin"), ones);
    var run = Cli.run("sim", "--allow-outside", path);
    assertEquals(Exit.CHECK_FAILED, run.exitCode());
    // Word 19 of rows of eight: row 2, column 3.
    assertTrue(run.out().contains("out: byte 76 (element (2,3)) is 0x06, expected 0x02; 1 of 256 bytes differ"),
        run.out());
  }

  @Test
  void aRefusedStatementIsNamedByLine() throws IOException {
    Files.writeString(folder.resolve("k.ptx"), PTX.replace("add.u32", "add.u33"));
    var run = Cli.run("sim", "--allow-outside", launch("a", "{\"bytes\": 256, \"fill\": 1}", 1));
    assertEquals(Exit.BAD_INPUT, run.exitCode());
    assertTrue(run.out().startsWith("REFUSED "), run.out());
    assertTrue(run.out().contains("line 16: add.u33"), run.out());
    assertEquals(1, run.out().lines().count());
  }

  @Test
  void whatABufferHoldsThatIsNotFilledMayNotBeRead() throws IOException {
    var path = launch("a", "{\"bytes\": 256, \"dtype\": \"u32\"}", 1);
    var run = Cli.run("sim", "--allow-outside", "--sanitize", path);
    assertEquals(Exit.CHECK_FAILED, run.exitCode());
    assertTrue(run.out().contains("UNINITIALIZED_READ at PTX line 17, st.global.u32 [%rd5], %r2"), run.out());
    assertTrue(run.out().matches("(?s).*at element (0 of 'in' \\(byte 0|32 of 'in' \\(byte 128)\\), which nobody has written.*"),
        run.out());
  }

  @Test
  void aRaceNamesElementsByTheirLayout() throws IOException {
    // Two blocks store the same values, which does no harm; with their numbers in place they disagree.
    var path = launch("a", "{\"file\": \"../in.bin\"}", 2);
    assertEquals(Exit.OK, Cli.run("sim", "--allow-outside", "--sanitize", path).exitCode());
    Files.writeString(folder.resolve("k.ptx"), PTX.replace("add.u32 %r2, %r2, %r2;", "mov.u32 %r2, %ctaid.x;"));
    var run = Cli.run("sim", "--allow-outside", "--sanitize", "--json", path);
    assertEquals(Exit.CHECK_FAILED, run.exitCode());
    var row = run.json().getFirst();
    assertEquals("FOUND", row.get("status").asString());
    var race = row.get("findings").get(0);
    assertEquals("RACE", race.get("kind").asString());
    assertEquals(17, race.get("line").asInt());
    assertEquals(17, race.get("other").get("line").asInt());
    int word = race.get("address").asInt() / 4;
    assertTrue(race.get("message").asString().contains("element (" + word / 8 + "," + word % 8 + ")"), run.out());
    assertFalse(race.get("fix").asString().isEmpty());
  }

  @Test
  void aLaunchThatDoesNotEndIsStopped() throws IOException {
    var path = write("a", "{\"ptx\": \"../endless.ptx\", \"entry\": \"k\", \"block\": [32], \"args\": []}");
    var bySteps = Cli.run("sim", "--allow-outside", "--limit-instructions", "100000", path);
    assertEquals(Exit.CHECK_FAILED, bySteps.exitCode());
    assertTrue(bySteps.out().contains("INSTRUCTION_LIMIT"), bySteps.out());
    var byTime = Cli.run("sim", "--allow-outside", "--limit-seconds", "0.05", path);
    assertTrue(byTime.out().contains("TIME_LIMIT: stopped after 50 ms"), byTime.out());
  }

  @Test
  void aLaunchThatNeedsTooMuchMemoryIsNotBegun() throws IOException {
    var path = write("a", """
        {"ptx": "../k.ptx", "entry": "k", "block": [64], "buffers": {"in": {"bytes": 2097152, "fill": 0}},
         "args": [{"buffer": "in"}, {"buffer": "in"}]}
        """);
    var run = Cli.run("sim", "--allow-outside", "--no-sanitize", "--limit-memory", "1", path);
    assertEquals(Exit.ENVIRONMENT, run.exitCode());
    // The buffer and the PTX; after this the sanitizer's shadows, 37 bytes for 4.
    assertTrue(run.out().contains("bytes for its buffers and files; the limit is 1048576 (--limit-memory)"), run.out());
    var watched = Cli.run("sim", "--allow-outside", "--sanitize", "--limit-memory", "8", path);
    assertEquals(Exit.ENVIRONMENT, watched.exitCode());
    assertTrue(watched.out().contains("MEMORY_LIMIT: not begun: it needs about 21"), watched.out());
    assertTrue(watched.out().contains("the memory limit is 8388608"), watched.out());
    assertEquals(Exit.OK, Cli.run("sim", "--allow-outside", "--no-sanitize", "--limit-memory", "8", path).exitCode());
  }

  @Test
  void aProfileCountsAndATraceOpens() throws IOException {
    var path = launch("a", "{\"file\": \"../in.bin\"}", 2);
    var trace = folder.resolve("trace.json");
    var page = folder.resolve("profile.html");
    var run = Cli.run("sim", "--allow-outside", "--profile", "--trace", trace.toString(), "--profile-page", page.toString(), path);
    assertEquals(Exit.OK, run.exitCode(), run.out() + run.err());
    assertTrue(run.out().contains("limited by"), run.out());
    // 64 threads of two blocks read and write four bytes each.
    assertTrue(run.out().matches("(?s).*global +512 +512.*"), run.out());
    assertTrue(Files.readString(page).contains("<td>ld.global.u32 %r2, [%rd4]</td>"));
    var events = JsonMapper.shared().readTree(Files.readAllBytes(trace)).get("traceEvents");
    long waits = events.valueStream().filter(e -> e.path("name").asString("").startsWith("bar.sync")).count();
    assertTrue(waits >= 2, events.toString());
    assertTrue(events.valueStream().filter(e -> e.get("ph").asString().equals("X")).allMatch(e ->
        e.get("dur").asLong() > 0 && e.has("ts") && e.has("pid") && e.has("tid")));
    var again = folder.resolve("again.json");
    Cli.run("sim", "--allow-outside", "--trace", again.toString(), path);
    assertEquals(Files.readString(trace), Files.readString(again));
  }
}
