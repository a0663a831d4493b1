package tilewright.cli.launch;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import tilewright.cli.Cli;
import tilewright.cli.io.CommandFailure;
import tilewright.cli.io.Exit;

/** Launch files with launches of several devices at once. */
class SeveralDevicesTest {
  private static final Path EXAMPLE = Path.of("..", "docs", "src", "launches", "missing-system-scope");
  private static final String BUFFERS = """
      "buffers": {"x": {"device": 0, "bytes": 128, "fill": 1}, "y": {"device": 1, "bytes": 128},
                  "inbox": {"device": 1, "bytes": 128}, "flag": {"device": 1, "bytes": 4, "fill": 0}}""";
  private static final String SEND = """
      {"device": 0, "peers": [1], "entry": "send",
       "args": [{"buffer": "x"}, {"buffer": "inbox"}, {"buffer": "flag"}]}""";
  private static final String RECEIVE = """
      {"device": 1, "entry": "receive", "args": [{"buffer": "y"}, {"buffer": "inbox"}, {"buffer": "flag"}]}""";

  @TempDir
  Path folder;

  @BeforeEach
  void writeTheKernels() throws IOException {
    var ptx = Files.readString(EXAMPLE.resolve("kernel.ptx"));
    Files.writeString(folder.resolve("kernel.ptx"), ptx.replace("fence.acq_rel.gpu", "fence.acq_rel.sys"));
    var expected = new byte[128];
    for (int i = 0; i < expected.length; i++) expected[i] = (byte) (i % 4 == 0 ? 2 : 1);
    Files.write(folder.resolve("y.bin"), expected);
  }

  private String write(String json) throws IOException {
    return Files.writeString(folder.resolve("launch.json"), json).toString();
  }

  private static String file(String common, String... launches) {
    return "{\"ptx\": \"kernel.ptx\", " + common + ", " + BUFFERS + ", \"launches\": [" + String.join(", ", launches)
        + "], \"expect\": {\"y\": \"y.bin\"}}";
  }

  @Test
  void launchesRunAtTheSameTimeAndTheirOutputsAreCompared() throws IOException {
    var launch = write(file("\"block\": [32]", SEND, RECEIVE));
    for (int seed = 0; seed < 3; seed++) {
      var run = Cli.run("sim", "--json", "--seed", String.valueOf(seed), launch);
      assertEquals(Exit.OK, run.exitCode(), run.out() + run.err());
      assertTrue(run.json().getFirst().get("sanitized").asBoolean());
    }
    Files.write(folder.resolve("y.bin"), new byte[128]);
    assertTrue(Cli.run("sim", launch).out().startsWith("DIFF"));
  }

  @Test
  void outputsAreWrittenByName() throws IOException {
    var out = folder.resolve("out");
    assertEquals(Exit.OK, Cli.run("sim", "--out", out.toString(), write(file("\"block\": [32]", SEND, RECEIVE)))
        .exitCode());
    try (var files = Files.walk(out)) {
      assertEquals(Set.of("x.bin", "y.bin", "inbox.bin", "flag.bin"), Set.copyOf(files.filter(Files::isRegularFile)
          .map(f -> f.getFileName().toString()).toList()));
    }
  }

  @Test
  void aMissingSystemScopeIsFoundAtItsLine() {
    var run = Cli.run("sim", EXAMPLE.resolve("launch.json").toString());
    assertEquals(Exit.CHECK_FAILED, run.exitCode());
    assertTrue(run.out().contains("RACE at exchange.cu:25"), run.out());
    assertTrue(run.out().contains("give scope .sys to the release at exchange.cu:10"), run.out());
  }

  @Test
  void onlyPlainRunsTakeSeveralDevices() throws IOException {
    var launch = write(file("\"block\": [32]", SEND, RECEIVE));
    for (var option : new String[] {"--explore", "--profile"}) {
      var run = Cli.run("sim", option, launch);
      assertEquals(Exit.BAD_INPUT, run.exitCode());
      assertTrue(run.out().contains("several devices"), run.out());
    }
    var file = LaunchFile.read(Path.of(launch));
    assertThrows(CommandFailure.class, file::launch);
  }

  @ParameterizedTest
  @CsvSource(delimiter = '|', quoteCharacter = '`', value = {
      "\"peers\": [1], |                          | NO_PEER_ACCESS",
      "\"device\": 0,  |                          | launches[0] lacks \"device\"",
      "\"device\": 0,  | \"device\": 64,          | launches[0].device is 64; needed is an integer from 0 to 63",
      "[1]             | [0]                      | device 0 is named as its own peer",
      "\"peers\"       | \"peer\"                 | launches[0] has an unknown key \"peer\"",
      "\"entry\": \"send\", |                     | launches[0] lacks \"entry\"",
      "\"buffer\": \"x\" | \"buffer\": \"z\"      | launches[0].args[0] names buffer \"z\"",
      "\"device\": 0,  | \"device\": 0, \"block\": [0], | launches[0].block[0] is 0"})
  void wrongLaunchesAreNamed(String old, String other, String message) throws IOException {
    var common = message.contains("block") ? "\"grid\": [1]" : "\"block\": [32]";
    requireMessage(message, file(common, SEND.replace(old, other == null ? "" : other), RECEIVE));
  }

  @Test
  void wrongFilesAreNamed() throws IOException {
    requireMessage("has \"args\" beside \"launches\"", file("\"args\": []", SEND, RECEIVE));
    requireMessage("has \"block\" twice", file("\"block\": [32]", SEND.replace("{", "{\"block\": [32], ")));
    requireMessage("device 0 has two launches", file("\"block\": [32]", SEND, SEND));
    requireMessage("no launch", file("\"block\": [32]"));
    requireMessage("buffers.x lacks \"device\"", file("\"block\": [32]", SEND).replace("\"x\": {\"device\": 0, ",
        "\"x\": {"));
    requireMessage("buffers.x has a \"device\", but the file has one launch", "{\"ptx\": \"kernel.ptx\", " + BUFFERS
        + ", \"entry\": \"send\", \"args\": []}");
  }

  private void requireMessage(String message, String json) throws IOException {
    var run = Cli.run("sim", write(json));
    assertTrue(run.exitCode() != Exit.OK && (run.out() + run.err()).contains(message), run.out() + run.err());
  }
}
