package tilewright.cli.bench;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import tilewright.cli.Cli;
import tilewright.cli.io.Exit;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * The files of {@code docs/budget}, and rows of them beside rows of a fresh run. What the documentation concludes from
 * them does not depend on a fiftieth: a kernel may change by so little without the files being made again.
 */
final class KeptBudgets {
  private static final double TOLERANCE = 0.02;

  private KeptBudgets() {}

  static Path docs() {
    var docs = Path.of("../docs");
    return Files.exists(docs) ? docs : Path.of("docs");
  }

  static List<JsonNode> rows(String file) throws IOException {
    return Files.readAllLines(docs().resolve("budget").resolve(file)).stream().map(JsonMapper.shared()::readTree)
        .toList();
  }

  /** The rows of one run of {@code tilewright budget}, each of which is kept. */
  static void assertKept(String file, String... arguments) throws IOException {
    var fresh = Cli.run(arguments);
    assertEquals(Exit.OK, fresh.exitCode(), fresh.err());
    var rows = rows(file);
    for (var row : fresh.json()) {
      var kept = rows.stream().filter(r -> r.get("configuration").equals(row.get("configuration"))).findFirst();
      assertTrue(kept.isPresent(), () -> file + " has no " + row.get("configuration") + ": make it again");
      assertSame(file, kept.get(), row);
    }
  }

  private static void assertSame(String file, JsonNode kept, JsonNode fresh) {
    for (var name : List.of("problem", "bottleneck", "chip", "memoryBound")) {
      assertEquals(kept.get(name), fresh.get(name), () -> file + ", " + name + ": make it again");
    }
    for (var name : List.of("attainable", "boundTflops", "expectedTflops")) assertClose(file, name, kept, fresh);
    for (var table : List.of("stepCycles", "cycles")) {
      double busiest = fresh.get(table).valueStream().mapToDouble(JsonNode::asDouble).max().orElseThrow();
      for (var unit : fresh.get(table).propertyNames()) {
        assertClose(file, unit, kept.get(table), fresh.get(table), busiest);
      }
    }
  }

  static void assertClose(String file, String name, JsonNode kept, JsonNode fresh) {
    assertClose(file, name, kept, fresh, fresh.get(name).asDouble());
  }

  private static void assertClose(String file, String name, JsonNode kept, JsonNode fresh, double measure) {
    assertEquals(fresh.get(name).asDouble(), kept.get(name).asDouble(), TOLERANCE * measure,
        () -> name + " in docs/budget/" + file + " of " + fresh + ": make the file again");
  }
}
