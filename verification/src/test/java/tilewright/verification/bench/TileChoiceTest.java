package tilewright.verification.bench;

import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import tilewright.kernels.Accumulation;
import tilewright.kernels.GemmProblem;
import tilewright.kernels.GemmTypes;
import tilewright.numerics.ElementType;
import tilewright.sm90.Sm90Gemms;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** The Hopper GEMM's choice of a tile, beside the times of tiles that a GPU took. */
class TileChoiceTest {
  private static final Path RECORDS = Path.of("..", "docs", "benchmarks", "gemm");
  /** Tiles that are slower by more are not in the record. */
  private static final double SLOWEST = 1.4;

  /** The time of the chosen tile, or of the next one that was timed, over that of the fastest. */
  private static double regret(JsonNode row) {
    var times = row.get("microseconds");
    double fastest = times.valueStream().mapToDouble(JsonNode::asDouble).min().orElseThrow();
    return Sm90Gemms.tiles(problem(row)).stream().filter(times::has).findFirst()
        .map(chosen -> times.get(chosen).asDouble() / fastest).orElse(SLOWEST);
  }

  private static GemmProblem problem(JsonNode row) {
    var in = type(row, "type");
    var types = new GemmTypes(in, in, row.has("out") ? type(row, "out") : in,
        Accumulation.named(row.has("accumulation") ? row.get("accumulation").asString() : "fast"));
    return GemmProblem.packed(types, row.get("m").asInt(), row.get("n").asInt(), row.get("k").asInt(), 1,
        row.get("order").asString());
  }

  private static ElementType type(JsonNode row, String name) {
    return ElementType.valueOf(row.get(name).asString().toUpperCase());
  }

  private static List<JsonNode> rows(String record) throws IOException {
    return JsonMapper.shared().readTree(Files.readString(RECORDS.resolve(record))).get("rows").valueStream().toList();
  }

  private static double mean(Stream<JsonNode> rows) {
    return rows.mapToDouble(TileChoiceTest::regret).average().orElseThrow();
  }

  /** The sweeps have tiles that the kernel has not. */
  @ParameterizedTest
  @CsvSource({"tiles-h100.json, 1.02", "sweep-h100.json, 1.03", "sweep-h200.json, 1.02", "sweep2-h200.json, 1.02",
      "tails-h200.json, 1.02", "tails2-h200.json, 1.03"})
  void theChosenTileIsHardlySlowerThanTheFastest(String record, double most) throws IOException {
    double mean = mean(rows(record).stream());
    assertTrue(mean < most, "chosen tiles take " + mean + " of the fastest one's time");
  }

  /** Rows of other lengths begin inside cache lines of 128 bytes. */
  @Test
  void norIsItWhereRowsBeginInsideCacheLines() throws IOException {
    double mean = mean(rows("tiles-h100.json").stream().filter(row -> row.get("k").asInt() % 64 != 0));
    assertTrue(mean < 1.02, "chosen tiles take " + mean + " of the fastest one's time");
  }

  /**
   * The times judge no choice that was not timed, so these must stay few in the newest record. Those before it lack
   * tiles that came to the list after them.
   */
  @Test
  void mostChosenTilesWereTimed() throws IOException {
    double timed = rows("tails2-h200.json").stream().mapToInt(row ->
        Sm90Gemms.tiles(problem(row)).stream().findFirst().filter(row.get("microseconds")::has).isPresent() ? 1 : 0)
        .average().orElseThrow();
    assertTrue(timed >= 0.9, timed + " of the chosen tiles were timed");
  }
}
