package tilewright.cli.cuda;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import tilewright.cli.Cli;
import tilewright.cli.io.Exit;
import tilewright.simulator.Finding.Kind;

/**
 * Ten CUDA programs with a classic bug each, at the line that says so; with an argument they run without it. They are
 * compiled as one, which is much faster. Skipped where there is no nvcc.
 */
class PlantedBugsTest {
  private static final String MARK = "// BUG";
  private static final Map<String, Kind> BUGS = new LinkedHashMap<>();

  static {
    BUGS.put("missing_sync", Kind.RACE);
    BUGS.put("proxy_fence", Kind.MISSING_PROXY_FENCE);
    BUGS.put("wrong_phase", Kind.PENDING_COPY_READ);
    BUGS.put("uninitialised", Kind.UNINITIALIZED_READ);
    BUGS.put("bounds", Kind.OUT_OF_BOUNDS);
    BUGS.put("lost_update", Kind.RACE);
    BUGS.put("use_after_free", Kind.OUT_OF_BOUNDS);
    BUGS.put("misaligned", Kind.MISALIGNED);
    BUGS.put("copy_wait", Kind.PENDING_COPY_READ);
    BUGS.put("divergent_barrier", Kind.BARRIER_DIVERGENCE);
  }

  @TempDir
  static Path folder;

  @BeforeAll
  static void compileThem() throws IOException {
    var path = System.getenv().getOrDefault("PATH", "").split(":");
    assumeTrue(Arrays.stream(path).anyMatch(p -> Files.isExecutable(Path.of(p, "nvcc"))), "nvcc is not on the PATH");
    var all = new StringBuilder("#include <cstring>\n");
    var choice = new StringBuilder("int main(int argc, char** argv) {\n");
    for (var name : BUGS.keySet()) {
      Files.writeString(folder.resolve(name + ".cu"), source(name));
      all.append("namespace %1$s {\n#define main run\n#include \"%1$s.cu\"\n#undef main\n}\n".formatted(name));
      choice.append("  if (!strcmp(argv[1], \"%1$s\")) return %1$s::run(argc - 1, argv + 1);\n".formatted(name));
    }
    Files.writeString(folder.resolve("all.cu"), all.append(choice).append("}\n"));
    var output = Tool.run(List.of("nvcc", "-cudart", "shared", "-lineinfo", "-gencode",
        "arch=compute_90a,code=compute_90a", "-o", "all", "all.cu"), folder, "nvcc");
    assertEquals(0, output.status(), output.text());
  }

  private static String source(String name) throws IOException {
    try (var in = PlantedBugsTest.class.getResourceAsStream("bugs/" + name + ".cu")) {
      return new String(in.readAllBytes(), StandardCharsets.UTF_8);
    }
  }

  static Stream<Arguments> bugs() throws IOException {
    var bugs = Stream.<Arguments>builder();
    for (var bug : BUGS.entrySet()) {
      var lines = source(bug.getKey()).lines().toList();
      int line = IntStream.range(0, lines.size()).filter(i -> lines.get(i).endsWith(MARK)).findFirst().orElseThrow();
      bugs.add(Arguments.of(bug.getKey(), bug.getValue(), line + 1));
    }
    return bugs.build();
  }

  @ParameterizedTest
  @MethodSource("bugs")
  void aBugIsFoundAtItsLineAndNothingWithoutIt(String name, Kind kind, int line) {
    var program = folder.resolve("all").toString();
    var found = Cli.run("cuda", program, name);
    assertEquals(Exit.CHECK_FAILED, found.exitCode(), found.err());
    assertTrue(found.err().contains(kind + " at " + name + ".cu:"), found.err());
    assertTrue(found.err().contains(name + ".cu:" + line + " "), found.err());
    var right = Cli.run("cuda", program, name, "right");
    assertEquals(Exit.OK, right.exitCode(), right.err());
  }
}
