package tilewright.docs;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.List;
import java.util.Locale;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

class MemoryFiguresTest {
  private static JsonNode row(String kernel, String unit, double ours, Double ratio) {
    return JsonMapper.shared().readTree(String.format(Locale.ROOT, "{\"kernel\":\"%s\",\"config\":\"n=4\","
        + "\"unit\":\"%s\",\"ours\":%f,\"floor\":4.0,\"ratio\":%s}", kernel, unit, ours, ratio));
  }

  @Test
  void whoIsBehindIsCountedAndWhoIsFarBehindIsNamed() {
    assertEquals("""
        Of 4 problems in TB/s beside peers, one is below 0.95 of the copy rate: `turn` n=4 (0.9250).
        A peer was faster in 3, and 2 are below 0.995 of it: `take` n=4 (0.9000), `sum` n=4 (0.9940).
        """, MemoryFigures.text(List.of(row("turn", "TB/s", 3.7, 1.2), row("sum", "TB/s", 4, 0.994),
            row("dot", "TB/s", 4, 0.996), row("take", "TB/s", 3.9, 0.9), row("multiply", "TFLOP/s", 1, 0.2),
            row("alone", "TB/s", 1, null))));
  }

  @Test
  void whereNobodyIsFarBehindNobodyIsNamed() {
    assertEquals("""
        Of 1 problems in TB/s beside peers, none is below 0.95 of the copy rate.
        A peer was faster in 0, and none is below 0.995 of it.
        """, MemoryFigures.text(List.of(row("sum", "TB/s", 4, 1.0))));
  }

  @Test
  void withoutRecordsTheTextSaysSo() {
    assertEquals("No kernel that memory bounds has been recorded beside peers yet.\n",
        MemoryFigures.text(List.of(row("alone", "TB/s", 1, null))));
  }
}
