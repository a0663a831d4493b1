package tilewright.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tilewright.cli.io.Exit;
import tilewright.cli.launch.SimCommandTest;

/** Results that cannot be written. */
class ClosedOutputTest {
  private static final Duration LONG = Duration.ofSeconds(60);

  @TempDir
  Path folder;

  @ParameterizedTest
  @ValueSource(strings = {"--help", "--version", "run gemm --help", "kernels", "kernels --json", "ptx add", "ptx add --json",
      "layout eval 4:1", "layout eval 4:1 --json", "layout draw 4:1", "layout explain 4:1 --json", "layout banks 32:1",
      "layout atom wgmma", "doctor", "sim @/launch.json", "sim @/launch.json --json", "nonsense --json",
      "budget gemm --set m=256 --set n=256 --set k=256 --arch sm90 --json", "export add --out @"})
  void aFullDiskIsNoSuccess(String arguments) throws IOException {
    Files.writeString(folder.resolve("k.ptx"), SimCommandTest.PTX);
    Files.writeString(folder.resolve("launch.json"), """
        {"ptx": "k.ptx", "entry": "k", "buffers": {"o": {"bytes": 4}}, "args": [{"buffer": "o"}, {"u32": 5}]}
        """);
    var err = new ByteArrayOutputStream();
    int exitCode = run("No space left on device", InputStream.nullInputStream(), err, arguments);
    var said = err.toString(StandardCharsets.UTF_8);
    assertEquals(Exit.ENVIRONMENT, exitCode, said);
    var why = "tilewright: standard output cannot be written: No space left on device";
    assertEquals(1, said.lines().filter(why::equals).count(), said);
  }

  @ParameterizedTest
  @ValueSource(strings = {"layout eval", "layout eval --json"})
  void endlessInputEndsWhenNobodyReadsTheResults(String arguments) {
    var endless = new InputStream() {
      private long at;

      @Override
      public int read() {
        return "4:1\n".charAt((int) (at++ & 3));
      }
    };
    var err = new ByteArrayOutputStream();
    assertEquals(Exit.READER_GONE,
        assertTimeoutPreemptively(LONG, () -> run("Broken pipe", endless, err, arguments)));
    assertEquals("", err.toString(StandardCharsets.UTF_8));
  }

  @Test
  void aBrokenStandardInputIsTheMachinesFault() {
    var closed = new InputStream() {
      @Override
      public int read() throws IOException {
        throw new IOException("Bad file descriptor");
      }
    };
    var err = new ByteArrayOutputStream();
    int exitCode = Main.run(closed, System.out, new PrintStream(err, true, StandardCharsets.UTF_8), "layout", "eval");
    assertEquals(Exit.ENVIRONMENT, exitCode);
    assertEquals("tilewright: standard input cannot be read: Bad file descriptor\n",
        err.toString(StandardCharsets.UTF_8));
  }

  private int run(String error, InputStream in, OutputStream err, String arguments) {
    var out = new PrintStream(new ResultStream(new OutputStream() {
      @Override
      public void write(int b) throws IOException {
        throw new IOException(error);
      }
    }), false, StandardCharsets.UTF_8);
    return Main.run(in, out, new PrintStream(err, true, StandardCharsets.UTF_8),
        arguments.replace("@", folder.toString()).split(" "));
  }
}
