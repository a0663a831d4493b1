package tilewright.docs.record;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

class LadderFiguresTest {
  private static JsonNode run(String... rows) {
    return JsonMapper.shared().readTree("""
        {"date":"2026-01-02","gpu":"H200","commit":"0123456789abcdef","rows":[%s]}"""
        .formatted(String.join(",", rows)));
  }

  private static String row(int size, String step, double ours) {
    return """
        {"kernel":"sm90_ladder","config":"%1$dx%1$dx%1$d step %2$s","unit":"TFLOP/s","ours":%3$s,"floor":900}"""
        .formatted(size, step, ours);
  }

  @Test
  void aStepIsARowWithItsGainOverTheOneBefore() {
    var table = LadderFigures.table(run(row(4096, "1: slow", 2.5), row(4096, "2: fast", 500),
        row(8192, "2: fast", 600)));
    var lines = table.lines().toList();
    assertEquals(".TFLOP/s on an H200, 2026-01-02, commit 0123456789", lines.getFirst());
    assertTrue(lines.contains("|1 |slow |2.50 | | |"), table);
    assertTrue(lines.contains("|2 |fast |500 |×200.00 |600 |"), table);
  }

  @Test
  void aRowThatIsNoStepIsAFault() {
    var run = run(row(4096, "1", 2.5));
    assertThrows(IllegalArgumentException.class, () -> LadderFigures.table(run));
  }
}
