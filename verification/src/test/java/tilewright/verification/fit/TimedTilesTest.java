package tilewright.verification.fit;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tilewright.verification.bench.TileTimes;
import tools.jackson.databind.json.JsonMapper;

class TimedTilesTest {
  @TempDir
  private Path folder;

  @Test
  void whatTuneWritesIsReadForTheFit() throws IOException {
    var row = new TileTimes.Row(72, 528, 1040, "NT", "f16", Map.of("cublas", 0.0031), "64x64x1",
        Map.of("64x64x1", 3.5, "64x96x1", 3.25));
    var record = new TileTimes("2026-11-28", "NVIDIA H200", "feed", List.of("--draw", "1"), List.of(row));
    var file = Files.writeString(folder.resolve("draw.json"), JsonMapper.shared().writeValueAsString(record));
    var read = GemmCostFit.read(file).getFirst();
    assertEquals(List.of(72, 528, 1040), read.extents());
    assertEquals("NT", read.order());
    assertEquals("f16", read.problem().types().a().text());
    assertEquals(Map.of("64x64x1", 3.5, "64x96x1", 3.25), read.times());
  }
}
