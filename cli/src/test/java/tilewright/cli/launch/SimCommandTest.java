package tilewright.cli.launch;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tilewright.cli.Cli;
import tilewright.cli.io.Exit;
import tilewright.cli.tensor.Npy;

public class SimCommandTest {
  /** Each thread writes the byte value + %tid.x. */
  public static final String PTX = """
      .version 8.0
      .target sm_80
      .address_size 64
      .visible .entry k(.param .u64 out, .param .u32 value)
      {
        .reg .b32 %r<4>;
        .reg .b64 %rd<4>;
        ld.param.u64 %rd1, [out];
        ld.param.u32 %r1, [value];
        mov.u32 %r2, %tid.x;
        add.u32 %r3, %r1, %r2;
        cvt.u64.u32 %rd2, %r2;
        add.u64 %rd3, %rd1, %rd2;
        st.global.u8 [%rd3], %r3;
        ret;
      }
      """;

  /** Warp 1 waits for one phase, and misses it where warp 0 completes the next one before it looks. */
  private static final String TWO_PHASES = """
      .version 8.0
      .target sm_80
      .address_size 64
      .visible .entry k()
      {
        .reg .b32 %r<4>;
        .reg .b64 %rd<4>;
        .reg .pred %p<4>;
        .shared .align 8 .b64 bar;
        mov.u32 %r1, %tid.x;
        setp.ne.u32 %p1, %r1, 0;
        @!%p1 mbarrier.init.shared.b64 [bar], 1;
        bar.sync 0;
        setp.lt.u32 %p2, %r1, 32;
        @%p2 bra first;
      wait:
        mbarrier.try_wait.parity.shared.b64 %p3, [bar], 0;
        @!%p3 bra wait;
        ret;
      first:
        @%p1 ret;
        mbarrier.arrive.shared.b64 %rd1, [bar];
        mbarrier.arrive.shared.b64 %rd2, [bar];
        ret;
      }
      """;

  @TempDir
  Path folder;

  @BeforeEach
  void writeKernelAndExpectation() throws IOException {
    Files.writeString(folder.resolve("k.ptx"), PTX);
    Files.write(folder.resolve("expected.bin"), new byte[] {5, 6, 7, 8, -51, -51});
  }

  @Test
  void runsALaunchAndComparesItsOutput() throws IOException {
    var run = Cli.run("sim", "--json", launch(4, 6, 5));
    assertEquals(Exit.OK, run.exitCode(), run.out() + run.err());
    var row = run.json().getFirst();
    assertTrue(row.get("ok").asBoolean());
    assertTrue(row.get("mismatch").isNull());
    assertEquals(0, row.get("findings").size());
    assertTrue(row.get("instructions").asLong() >= 4 * 7, "four threads execute at least seven instructions each");
  }

  @Test
  void smallLaunchesAreSanitizedUnlessAskedNotTo() throws IOException {
    var small = launch(4, 6, 5);
    assertTrue(Cli.run("sim", "--json", small).json().getFirst().get("sanitized").asBoolean());
    assertTrue(!Cli.run("sim", small).out().contains("not sanitized"));
    var plain = Cli.run("sim", "--no-sanitize", small);
    assertEquals(Exit.OK, plain.exitCode());
    assertTrue(plain.out().contains("instructions, not sanitized"), plain.out());
    assertTrue(!Cli.run("sim", "--no-sanitize", "--json", small).json().getFirst().get("sanitized").asBoolean());
    assertEquals(Exit.BAD_INPUT, Cli.run("sim", "--no-sanitize", "--sanitize", small).exitCode());
  }

  @Test
  void aProofSaysHowManySchedulesThereAre() throws IOException {
    var file = launch(4, 6, 5);
    var run = Cli.run("sim", "--explore", "--json", file);
    assertEquals(Exit.OK, run.exitCode(), run.out() + run.err());
    var row = run.json().getFirst().get("exploration");
    assertEquals("proved", row.get("outcome").asText());
    assertEquals(1, row.get("schedules").asInt());
    assertTrue(Cli.run("sim", "--explore", file).out().contains("proved after 1 schedule of 1 step"));
  }

  @Test
  void aScheduleThatIsFoundIsReplayed() throws IOException {
    Files.writeString(folder.resolve("two.ptx"), TWO_PHASES);
    var file = Files.writeString(folder.resolve("two.json"), """
        {"ptx": "two.ptx", "entry": "k", "grid": [1,1,1], "block": [64,1,1], "buffers": {}, "args": []}
        """).toString();
    var schedule = folder.resolve("schedule.txt").toString();
    var run = Cli.run("sim", "--explore", "--save-schedule", schedule, file);
    assertEquals(Exit.CHECK_FAILED, run.exitCode(), run.out() + run.err());
    assertTrue(run.out().contains("schedule: 0/0"), run.out());
    var again = Cli.run("sim", "--schedule", schedule, "--json", file);
    assertEquals(Exit.CHECK_FAILED, again.exitCode());
    assertEquals("DEADLOCK", again.json().getFirst().get("findings").get(0).get("kind").asText());
  }

  @Test
  void optionsOfExplorationsAreChecked() throws IOException {
    var file = launch(4, 6, 5);
    var text = Files.writeString(folder.resolve("no-schedule.txt"), "0/0").toString();
    for (var options : new String[][] {{"--explore", "--schedule", text}, {"--save-schedule", text},
        {"--explore", "--limit-schedules", "0"}, {"--explore", "--no-sanitize"}, {"--explore", "--profile"},
        {"--schedule", text}, {"--schedule", folder.resolve("none.txt").toString()}}) {
      var arguments = new ArrayList<>(List.of("sim", file));
      arguments.addAll(List.of(options));
      var run = Cli.run(arguments.toArray(String[]::new));
      assertEquals(Exit.BAD_INPUT, run.exitCode(), String.join(" ", options) + run.out() + run.err());
    }
  }

  /** 16 MiB of buffers are watched, a byte more is not. */
  @Test
  void largeLaunchesSayThatTheyAreNotSanitized() throws IOException {
    for (int more : new int[] {0, 1}) {
      var file = Files.writeString(folder.resolve("large.json"), """
          {"ptx": "k.ptx", "entry": "k", "grid": [1,1,1], "block": [4,1,1],
           "buffers": {"out": {"bytes": %d, "fill": "0xCD"}}, "args": [{"buffer": "out"}, {"u32": 5}]}
          """.formatted((16 << 20) + more));
      var row = Cli.run("sim", "--json", file.toString()).json().getFirst();
      assertEquals(more == 0, row.get("sanitized").asBoolean(), row.toString());
    }
  }

  @Test
  void modelsOfBlockScaledSumsAreChosenByName() throws IOException {
    assertEquals(Exit.OK, Cli.run("sim", "--fp4-model", "mma-sim", launch(4, 6, 5)).exitCode());
    assertEquals(Exit.OK, Cli.run("sim", "--fp4-model", "sf-tensor", launch(4, 6, 5)).exitCode());
    var run = Cli.run("sim", "--fp4-model", "exact", launch(4, 6, 5));
    assertEquals(Exit.BAD_INPUT, run.exitCode());
    assertTrue(run.err().contains("--fp4-model is exact; needed is sf-tensor or mma-sim"), run.err());
  }

  @Test
  void whatAKernelPrintsStaysOutOfTheResults() throws IOException {
    var printing = PTX.replace(".visible .entry", """
        .extern .func (.param .b32 r) vprintf (.param .b64 f, .param .b64 a);
        .global .align 1 .b8 text[4] = {104, 105, 10, 0};
        .visible .entry""").replace("ret;", """
        .param .b64 p0; .param .b64 p1; .param .b32 r0; .reg .b64 %f;
        mov.u64 %f, text; cvta.global.u64 %f, %f;
        st.param.b64 [p0], %f; st.param.b64 [p1], 0;
        call (r0), vprintf, (p0, p1);
        ret;""");
    Files.writeString(folder.resolve("k.ptx"), printing);
    var run = Cli.run("sim", "--json", launch(4, 6, 5));
    assertEquals(Exit.OK, run.exitCode(), run.out() + run.err());
    assertEquals(1, run.json().size());
    assertEquals(4, run.err().lines().filter("hi"::equals).count());
  }

  @Test
  void saysWhereAnOutputDiffers() throws IOException {
    var run = Cli.run("sim", "--json", launch(4, 6, 4));
    assertEquals(Exit.CHECK_FAILED, run.exitCode());
    assertEquals("out: byte 0 is 0x04, expected 0x05; 4 of 6 bytes differ",
        run.json().getFirst().get("mismatch").asString());
  }

  @Test
  void reportsAWriteOutOfBounds() throws IOException {
    var run = Cli.run("sim", "--json", launch(7, 6, 5));
    assertEquals(Exit.CHECK_FAILED, run.exitCode());
    var finding = run.json().getFirst().get("findings").get(0);
    assertEquals("OUT_OF_BOUNDS", finding.get("kind").asString());
    assertEquals(14, finding.get("line").asInt());
  }

  @Test
  void writesBuffersWhenAsked() throws IOException {
    var named = folder.resolve("named.json");
    Files.copy(Path.of(launch(4, 6, 5)), named);
    assertEquals(Exit.OK, Cli.run("sim", named.toString(), "--out", folder.resolve("out").toString()).exitCode());
    assertArrayEquals(new byte[] {5, 6, 7, 8, -51, -51}, Files.readAllBytes(folder.resolve("out/named/out.bin")));
  }

  @Test
  void goesOnAfterALaunchThatCannotRun() throws IOException {
    var good = launch(4, 6, 5);
    var bad = Files.createDirectory(folder.resolve("bad"));
    Files.writeString(bad.resolve("k.ptx"), PTX.replace("add.u64", "add.u64.nonsense"));
    Files.writeString(bad.resolve("launch.json"), """
        {"ptx": "k.ptx", "entry": "k", "args": [{"u64": 0}, {"u32": 1}]}
        """);
    var run = Cli.run("sim", "--json", folder.toString());
    assertEquals(Exit.BAD_INPUT, run.exitCode(), run.out());
    var rows = run.json();
    assertEquals(2, rows.size());
    assertTrue(rows.stream().anyMatch(row -> row.get("launch").asString().equals(good) && row.get("ok").asBoolean()),
        run.out());
    assertTrue(rows.stream().anyMatch(row -> row.has("error") && row.get("error").asString().contains("nonsense")),
        run.out());
  }

  @Test
  void runsWhatAnotherCommandDumped() throws IOException {
    // 3·2 + 1·4 = 10 in halves.
    var halves = new byte[] {0, 0x42, 0, 0x3C};
    Files.write(folder.resolve("a.npy"), Npy.file(1, Npy.header("<f2", false, "(1, 2)"), halves));
    Files.write(folder.resolve("b.npy"), Npy.file(1, Npy.header("<f2", false, "(1, 2)"),
        new byte[] {0, 0x40, 0, 0x44}));
    var dump = folder.resolve("dump").toString();
    var gemm = Cli.run("run", "gemm", "--a", path("a.npy"), "--b", path("b.npy"), "--out", path("c.npy"),
        "--dump", dump);
    assertEquals(Exit.OK, gemm.exitCode(), gemm.err());
    assertEquals(Exit.OK, Cli.run("sim", dump, "--sanitize", "--seed", "7", "--out", path("out")).exitCode());
    var c = Files.readAllBytes(folder.resolve("out/dump/C.bin"));
    assertArrayEquals(Npy.floats(10), c);
    var npy = Files.readAllBytes(folder.resolve("c.npy"));
    assertArrayEquals(c, Arrays.copyOfRange(npy, npy.length - 4, npy.length));
  }

  @Test
  void anExpectationMayBeThatOfAnotherArchitecture() throws IOException {
    Files.write(folder.resolve("a.npy"), Npy.normalHalves(64, 64, 1));
    Files.write(folder.resolve("b.npy"), Npy.normalHalves(64, 64, 2));
    var dump = folder.resolve("dump");
    Cli.run("run", "gemm", "--a", path("a.npy"), "--b", path("b.npy"), "--out", path("c.npy"), "--dump",
        dump.toString());
    var launch = dump.resolve("launch.json");
    var plain = Files.readString(launch);
    Files.writeString(launch, plain.replaceFirst("\\{", "{\"architecture\": 90,"));
    assertEquals(Exit.OK, Cli.run("sim", dump.toString(), "--out", path("hopper")).exitCode());
    var expected = "{\"expect\": {\"C\": \"../hopper/dump/C.bin\"},";
    Files.writeString(launch, plain.replaceFirst("\\{", expected));
    assertEquals(Exit.CHECK_FAILED, Cli.run("sim", dump.toString(), "--allow-outside").exitCode(),
        "sums of sm_80 are others");
    Files.writeString(launch, plain.replaceFirst("\\{", expected + "\"architecture\": 90,"));
    assertEquals(Exit.OK, Cli.run("sim", dump.toString(), "--allow-outside").exitCode());
  }

  private String launch(int threads, int bytes, int value) throws IOException {
    return Files.writeString(folder.resolve("launch.json"), """
        {"ptx": "k.ptx", "entry": "k", "block": [%d], "buffers": {"out": {"bytes": %d, "fill": "0xCD"}},
         "args": [{"buffer": "out"}, {"u32": %d}], "expect": {"out": "expected.bin"}}
        """.formatted(threads, bytes, value)).toString();
  }

  private String path(String name) {
    return folder.resolve(name).toString();
  }
}
