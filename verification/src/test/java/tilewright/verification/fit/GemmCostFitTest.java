package tilewright.verification.fit;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import tilewright.sm90.Sm90Gemms;

@Tag("full")
class GemmCostFitTest {
  private static final Path RECORDS = Path.of("..", "docs", "benchmarks", "gemm");

  @Test
  void theKernelHasTheTreesThatAreFittedToTheRecords() throws IOException {
    var shapes = new ArrayList<>(GemmCostFit.read(RECORDS.resolve("tiles-h100.json")));
    shapes.addAll(GemmCostFit.read(RECORDS.resolve("sweep-h100.json")));
    assertArrayEquals(Sm90Gemms.correction().trees().bytes(), GemmCostFit.trees(shapes).bytes());
  }
}
