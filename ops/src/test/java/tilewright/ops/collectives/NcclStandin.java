package tilewright.ops.collectives;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;

/** A library over host memory in NCCL's place, compiled by this machine's C compiler. */
final class NcclStandin {
  private NcclStandin() {}

  /** Compiles it; skips the test where there is no compiler. */
  static Path compile(Path folder) throws IOException, InterruptedException {
    var path = System.getenv().getOrDefault("PATH", "").split(":");
    assumeTrue(Arrays.stream(path).anyMatch(p -> Files.isExecutable(Path.of(p, "cc"))), "cc is not on the PATH");
    var source = folder.resolve("nccl.c");
    try (var in = NcclStandin.class.getResourceAsStream("nccl-standin.c")) {
      Files.copy(in, source);
    }
    var library = folder.resolve("libnccl.so.2");
    var compiler = new ProcessBuilder("cc", "-std=gnu11", "-shared", "-fPIC", "-o", library.toString(),
        source.toString(), "-lpthread").inheritIO().start();
    assertEquals(0, compiler.waitFor());
    return library;
  }
}
