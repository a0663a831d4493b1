package tilewright.verification.fit;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import tilewright.sm90.Sm90Gemms;

@Tag("full")
class GemmCostFitTest {
  private static final Path RECORDS = Path.of("..", "docs", "benchmarks", "gemm");

  @Test
  void theKernelHasTheTreesThatAreFittedToTheRecords() throws IOException {
    var shapes = new ArrayList<TimedTiles>();
    for (var record : List.of("tiles-h100.json", "sweep-h100.json", "sweep-h200.json", "candidates-h200.json",
        "sweep2-h200.json", "tails-h200.json", "tails2-h200.json")) {
      shapes.addAll(GemmCostFit.read(RECORDS.resolve(record)));
    }
    assertArrayEquals(Sm90Gemms.correction().trees().bytes(), GemmCostFit.trees(shapes).bytes());
  }
}
