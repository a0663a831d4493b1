package tilewright.cli.cuda;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tilewright.cli.Cli;
import tilewright.cli.io.Exit;

/**
 * The recorder beside a GPU that is made of C: its results are those that the simulator must have. Skipped where there
 * is no C compiler.
 */
class RecorderTest {
  @TempDir
  Path folder;

  @BeforeEach
  void requireCompiler() {
    CCompiler.require();
  }

  /** Runs a program beside the recorder, in this folder, and returns what it prints. */
  private String record(String program, Map<String, String> options) throws IOException, InterruptedException {
    for (var name : new String[] {program, "recorded.h", "fake_gpu.c"}) {
      try (var in = RecorderTest.class.getResourceAsStream(name)) {
        Files.write(folder.resolve(name), in.readAllBytes());
      }
    }
    assertEquals(Exit.OK, Cli.run("cuda", "--recorder", folder.resolve("recorder.c").toString()).exitCode());
    CCompiler.compile(folder, "-shared", "-fPIC", "-Wall", "-Werror", "-o", "librecorder.so", "recorder.c", "-ldl",
        "-lpthread");
    CCompiler.compile(folder, "-shared", "-fPIC", "-Wl,-soname,libcudart.so.13", "-o", "libcudart.so.13", "fake_gpu.c");
    CCompiler.compile(folder, "-DDRIVER", "-shared", "-fPIC", "-Wl,-soname,libcuda.so.1", "-o", "libcuda.so.1",
        "fake_gpu.c");
    CCompiler.compile(folder, "-o", "recorded", program, "-L.", "-l:libcudart.so.13", "-l:libcuda.so.1");
    var builder = new ProcessBuilder(folder.resolve("recorded").toString()).redirectErrorStream(true);
    builder.environment().putAll(options);
    builder.environment().putAll(Map.of("LD_LIBRARY_PATH", folder.toString(), "TILEWRIGHT_RECORD",
        folder.resolve("raw").toString(), "LD_PRELOAD", folder.resolve("librecorder.so").toString()));
    var process = builder.start();
    var text = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertEquals(0, process.waitFor(), text);
    return text;
  }

  private Cli convert(String out) {
    return Cli.run("cuda", "--recorded", folder.resolve("raw").toString(), "--record", folder.resolve(out).toString());
  }

  @ParameterizedTest
  @ValueSource(strings = {"recorded.c", "recorded_driver.c"})
  void recordedLaunchesHaveTheSameResultsInTheSimulator(String program) throws IOException, InterruptedException {
    // Element 8 + t gains t + 100 + 1000 three times, of which two are recorded.
    assertEquals("7 3308 3432\n", record(program, Map.of("TILEWRIGHT_MOST", "2")));
    assertEquals(Exit.OK, convert("out").exitCode());
    var again = Cli.run("sim", "--sanitize", folder.resolve("out").toString());
    assertEquals(Exit.OK, again.exitCode(), again.out());
    assertTrue(again.out().contains("2 launches: 2 ok"), again.out());

    // Another result than the GPU's is noticed.
    try (var after = Files.list(folder.resolve("raw/launch000002"))) {
      var file = after.filter(f -> f.toString().endsWith(".after")).findFirst().orElseThrow();
      var bytes = Files.readAllBytes(file);
      bytes[32]++;
      Files.write(file, bytes);
    }
    assertEquals(Exit.OK, convert("changed").exitCode());
    var changed = Cli.run("sim", folder.resolve("changed").toString());
    assertTrue(changed.out().contains("2 launches: 1 ok, 1 differs"), changed.out());

    Files.writeString(folder.resolve("raw/launch000001/launch.txt"), "entry add\ngrid 1\n");
    var broken = convert("broken");
    assertEquals(Exit.BAD_INPUT, broken.exitCode());
    assertTrue(broken.err().contains("launch.txt: is no whole record"), broken.err());
  }

  @Test
  void onlyTheKernelsThatAreAskedForAreRecorded() throws IOException, InterruptedException {
    record("recorded_driver.c", Map.of("TILEWRIGHT_ONLY", "another"));
    var nothing = convert("out");
    assertEquals(Exit.BAD_INPUT, nothing.exitCode());
    assertTrue(nothing.err().contains("has no launches that the recorder wrote"), nothing.err());
  }

  @Test
  void optionsThatDoNotGoTogetherAreRefused() {
    var file = folder.resolve("recorder.c").toString();
    for (var options : new String[][] {{"--recorder", file, "program"}, {"--recorded", folder.toString()},
        {"--recorder", file, "--recorded", folder.toString()}, {"--recorder", file, "--record", file}, {}}) {
      var run = Cli.run(Stream.concat(Stream.of("cuda"), Stream.of(options)).toArray(String[]::new));
      assertEquals(Exit.BAD_INPUT, run.exitCode(), String.join(" ", options));
    }
  }
}
