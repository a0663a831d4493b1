package tilewright.verification.bench;

import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import tilewright.kernels.Accumulation;
import tilewright.kernels.GemmProblem;
import tilewright.kernels.GemmTypes;
import tilewright.numerics.ElementType;
import tilewright.sm90.Sm90Gemms;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** The Hopper GEMM's choice of a tile, beside the times of tiles that a GPU took. */
class TileChoiceTest {
  private static final Path RECORD = Path.of("..", "docs", "benchmarks", "gemm", "tiles-h100.json");
  /** Tiles that are slower by more are not in the record. */
  private static final double SLOWEST = 1.4;

  /** The time of the chosen tile over that of the fastest. */
  private static double regret(JsonNode row) {
    var in = type(row, "type");
    var types = new GemmTypes(in, in, type(row, "out"), Accumulation.named(row.get("accumulation").asString()));
    var problem = GemmProblem.packed(types, row.get("m").asInt(), row.get("n").asInt(), row.get("k").asInt(), 1,
        row.get("order").asString());
    var times = row.get("microseconds");
    var chosen = times.get(Sm90Gemms.tiles(problem).getFirst());
    double fastest = times.valueStream().mapToDouble(JsonNode::asDouble).min().orElseThrow();
    return chosen == null ? SLOWEST : chosen.asDouble() / fastest;
  }

  private static ElementType type(JsonNode row, String name) {
    return ElementType.valueOf(row.get(name).asString().toUpperCase());
  }

  private static List<JsonNode> rows() throws IOException {
    return JsonMapper.shared().readTree(Files.readString(RECORD)).get("rows").valueStream().toList();
  }

  @Test
  void theChosenTileIsHardlySlowerThanTheFastest() throws IOException {
    double mean = rows().stream().mapToDouble(TileChoiceTest::regret).average().orElseThrow();
    assertTrue(mean < 1.045, "chosen tiles take " + mean + " of the fastest one's time");
  }

  /** Rows of other lengths begin inside cache lines of 128 bytes. */
  @Test
  void norIsItWhereRowsBeginInsideCacheLines() throws IOException {
    double mean = rows().stream().filter(row -> row.get("k").asInt() % 64 != 0).mapToDouble(TileChoiceTest::regret)
        .average().orElseThrow();
    assertTrue(mean < 1.055, "chosen tiles take " + mean + " of the fastest one's time");
  }
}
