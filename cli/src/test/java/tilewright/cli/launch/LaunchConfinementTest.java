package tilewright.cli.launch;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tilewright.cli.Cli;
import tilewright.cli.io.CommandFailure;
import tilewright.cli.io.Exit;

/** A launch file may come from anybody: it reads and writes nowhere but where the user said. */
class LaunchConfinementTest {
  private static final String LAUNCH = """
      {"ptx": "k.ptx", "entry": "k", "block": [4], "buffers": {"%s": {"bytes": 4, "fill": 0}},
       "args": [{"buffer": "%1$s"}, {"u32": 5}]}
      """;

  @TempDir
  Path folder;
  private Path launches;

  @BeforeEach
  void writeTheKernel() throws IOException {
    launches = Files.createDirectories(folder.resolve("a/b/launches"));
    Files.writeString(launches.resolve("k.ptx"), SimCommandTest.PTX);
    Files.writeString(folder.resolve("secret"), "root:x:0:0\n");
  }

  @ParameterizedTest
  @ValueSource(strings = {"../../x", "/tmp/tilewright-escaped", "..", ".", "", "a/b", "../launch", "a\\\\b", "a\\u0000b",
      "a\\nb"})
  void aBufferIsCalledAsAFileCanBe(String name) throws IOException {
    var launch = Files.writeString(launches.resolve("launch.json"), LAUNCH.formatted(name));
    var before = files();
    var run = Cli.run("sim", launch.toString(), "--out", folder.resolve("a/out").toString());
    assertEquals(Exit.BAD_INPUT, run.exitCode(), run.out() + run.err());
    assertTrue(run.out().contains("as its file has"), run.out());
    assertEquals(before, files());
  }

  @Test
  void aNameTooLongForAFileIsRefusedBeforeTheLaunchRuns() throws IOException {
    var launch = Files.writeString(launches.resolve("launch.json"), LAUNCH.formatted("x".repeat(300)));
    assertEquals(Exit.BAD_INPUT, Cli.run("sim", launch.toString()).exitCode());
    Files.writeString(launch, LAUNCH.formatted("\uD83D\uDE00".repeat(30)));
    assertEquals(Exit.OK, Cli.run("sim", launch.toString(), "--out", folder.resolve("out").toString()).exitCode());
  }

  @ParameterizedTest
  @ValueSource(strings = {"../../../secret", "%s/secret", "link", "linked/secret", "../launches/../../../secret"})
  void inputsLieBelowTheLaunchUnlessAllowed(String name) throws IOException {
    Files.createSymbolicLink(launches.resolve("link"), folder.resolve("secret"));
    Files.createSymbolicLink(launches.resolve("linked"), folder);
    var launch = Files.writeString(launches.resolve("launch.json"), """
        {"ptx": "k.ptx", "entry": "k", "args": [], "buffers": {"b": {"file": "%s"}}}
        """.formatted(name.formatted(folder)));
    var failure = assertThrows(CommandFailure.class, () -> LaunchFile.read(launch));
    assertTrue(failure.getMessage().contains("say --allow-outside"), failure.getMessage());
    var allowed = LaunchFile.read(launch, true, MemoryLimit.ofJava());
    assertArrayEquals(Files.readAllBytes(folder.resolve("secret")), allowed.launch().bytes("b"));
  }

  @ParameterizedTest
  @ValueSource(strings = {"{\"ptx\": \"../../../secret\", \"entry\": \"k\", \"args\": []}",
      "{\"ptx\": \"k.ptx\", \"entry\": \"k\", \"args\": [], \"buffers\": {\"b\": {\"bytes\": 11}}, "
          + "\"expect\": {\"b\": \"../../../secret\"}}",
      "{\"ptx\": \"../../../no-such-secret\", \"entry\": \"k\", \"args\": []}"})
  void everyFieldThatNamesAFileIsConfined(String json) throws IOException {
    var launch = Files.writeString(launches.resolve("launch.json"), json);
    var failure = assertThrows(CommandFailure.class, () -> LaunchFile.read(launch));
    assertTrue(failure.getMessage().contains("lies outside the launch file's folder"), failure.getMessage());
  }

  @Test
  void inputsMayLieInAFolderBelow() throws IOException {
    Files.createDirectories(launches.resolve("data"));
    Files.write(launches.resolve("data/b.bin"), new byte[] {1, 2});
    Files.createSymbolicLink(launches.resolve("near"), Path.of("data/b.bin"));
    var launch = Files.writeString(launches.resolve("launch.json"), """
        {"ptx": "./data/../k.ptx", "entry": "k", "args": [],
         "buffers": {"b": {"file": "data/b.bin"}, "c": {"file": "near"}}}
        """);
    assertArrayEquals(new byte[] {1, 2}, LaunchFile.read(launch).launch().bytes("c"));
  }

  @Test
  void whatIsRecordedGoesThroughNoLink() throws IOException {
    Files.createSymbolicLink(launches.resolve("out.expected.bin"), folder.resolve("secret"));
    var file = LaunchFile.read(Files.writeString(launches.resolve("launch.json"), LAUNCH.formatted("out")));
    var failure = assertThrows(CommandFailure.class,
        () -> LaunchFileWriter.recordExpected(file, List.of("out"), 90));
    assertTrue(failure.getMessage().contains("is a link"), failure.getMessage());
    assertEquals("root:x:0:0\n", Files.readString(folder.resolve("secret")));
  }

  @Test
  void aLaunchsOwnFilesAreNotOverwritten() throws IOException {
    var launch = Files.writeString(launches.resolve("launch.json"), LAUNCH.formatted("out"));
    Files.writeString(launches.resolve("out.bin"), "mine");
    var run = Cli.run("sim", launch.toString(), "--out", launches.getParent().toString());
    assertEquals(Exit.BAD_INPUT, run.exitCode(), run.out());
    assertTrue(run.out().contains("is the launch's own folder"), run.out());
    assertEquals("mine", Files.readString(launches.resolve("out.bin")));
  }

  @Test
  void eachLaunchHasAnOutputFolderOfItsOwn() throws IOException {
    Stream.of("x/same", "y/same", "y/same-2").forEach(name -> write(name, name.hashCode() & 63));
    var named = Files.writeString(folder.resolve("y/same.json"), launch(63));
    Files.copy(launches.resolve("k.ptx"), folder.resolve("y/k.ptx"));
    var out = folder.resolve("out");
    var run = Cli.run("sim", folder.resolve("x").toString(), folder.resolve("y").toString(), named.toString(),
        "--out", out.toString());
    assertEquals(Exit.OK, run.exitCode(), run.out() + run.err());
    assertEquals("x/same".hashCode() & 63, Files.readAllBytes(out.resolve("same/out.bin"))[0]);
    assertEquals("y/same-2".hashCode() & 63, Files.readAllBytes(out.resolve("same-2/out.bin"))[0]);
    assertEquals("y/same".hashCode() & 63, Files.readAllBytes(out.resolve("same-3/out.bin"))[0]);
    assertEquals(63, Files.readAllBytes(out.resolve("same-4/out.bin"))[0]);
    assertTrue(run.err().contains("buffers of " + named + " go to " + out.resolve("same-4")), run.err());
  }

  @Test
  void aFailureDoesNotEndTheOthers() throws IOException {
    write("good", 5);
    Files.writeString(Files.createDirectories(folder.resolve("bad")).resolve("launch.json"), "{\"ptx\": 5}");
    var run = Cli.run("sim", folder.resolve("none").toString(), folder.resolve("bad").toString(),
        folder.resolve("good").toString(), "--json");
    assertEquals(Exit.BAD_INPUT, run.exitCode());
    assertEquals(3, run.json().size(), run.out());
    assertTrue(run.json().getLast().get("ok").asBoolean(), run.out());
    assertFalse(run.json().getFirst().get("error").isNull());
  }

  private void write(String name, int value) {
    try {
      var at = Files.createDirectories(folder.resolve(name));
      Files.copy(launches.resolve("k.ptx"), at.resolve("k.ptx"));
      Files.writeString(at.resolve("launch.json"), launch(value));
    } catch (IOException e) {
      throw new java.io.UncheckedIOException(e);
    }
  }

  private static String launch(int value) {
    return LAUNCH.formatted("out").replace("{\"u32\": 5}", "{\"u32\": " + value + "}");
  }

  private List<Path> files() throws IOException {
    try (var all = Files.walk(folder)) {
      return all.sorted().toList();
    }
  }
}
