package tilewright.cli.cuda;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.stream.Stream;

/** The C compiler of this machine, for programs that tests make. */
final class CCompiler {
  private CCompiler() {}

  /** Skips the test where there is none. */
  static void require() {
    var path = System.getenv().getOrDefault("PATH", "").split(":");
    assumeTrue(Arrays.stream(path).anyMatch(p -> Files.isExecutable(Path.of(p, "cc"))), "cc is not on the PATH");
  }

  /** Runs it in a folder, and requires that it succeeds. */
  static void compile(Path folder, String... options) {
    var ended = Tool.run(Stream.concat(Stream.of("cc"), Stream.of(options)).toList(), folder, "cc");
    assertEquals(0, ended.status(), ended.text());
  }
}
