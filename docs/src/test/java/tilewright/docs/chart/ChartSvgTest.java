package tilewright.docs.chart;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalDouble;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

class ChartSvgTest {
  private static final JsonNode ROW = JsonMapper.shared().readTree("""
      {"unit":"TFLOP/s","ours":300,"floor":400,"peers":{"eager":100,"cublas":200}}""");

  @Test
  void aBarIsAsLongAsItsShareOfTheLongest() {
    var svg = ChartSvg.of(Charts.of("x", "Title", false, Map.of("a", ROW)));
    // Bars are 470 wide at most, and the floor is the longest: 300/400 and 200/400 of it.
    assertTrue(svg.contains("<rect class=\"ours\" x=\"210\" y=\"32\" width=\"352.5\""), svg);
    assertTrue(svg.contains("<rect class=\"peer-1\" x=\"210\" y=\"46\" width=\"235.0\""), svg);
    assertTrue(svg.contains("<line class=\"floor\" x1=\"680.0\""), svg);
  }

  @Test
  void sharesPutTheFloorsOfAllGroupsAtOneHundred() {
    var rows = new LinkedHashMap<String, JsonNode>();
    rows.put("a", ROW);
    rows.put("b", JsonMapper.shared().readTree("""
        {"unit":"TFLOP/s","ours":3,"floor":4,"peers":{}}"""));
    var svg = ChartSvg.of(Charts.of("x", "Title", true, rows));
    assertEquals(2, svg.split("<line class=\"floor\" x1=\"680.0\"", -1).length - 1, svg);
    assertEquals(2, svg.split("width=\"352.5\"", -1).length - 1, svg);
  }

  @Test
  void theTitleSaysEveryValueForThoseWhoCannotSeeIt() {
    var svg = ChartSvg.of(Charts.of("x", "A < B", false, Map.of("a", ROW)));
    assertTrue(svg.contains("<title id=\"chart-x\">A &lt; B. a: Tilewright 300, cuBLAS 200, PyTorch eager 100, floor 400"),
        svg);
    assertTrue(svg.contains("<figcaption>A &lt; B</figcaption>"), svg);
  }

  @Test
  void valuesHaveThreeDigits() {
    assertEquals(List.of("0.93", "6.79", "22.2", "704", "1,316", "5"),
        List.of(0.9269, 6.789, 22.19, 704.4, 1315.7, 5.0).stream().map(ChartSvg::value).toList());
  }

  @Test
  void aChartWithoutGroupsIsRefused() {
    assertThrows(IllegalArgumentException.class, () -> new Chart("x", "T", "s", false, List.of()));
    assertThrows(RuntimeException.class, () -> ChartSvg.of(new Chart("x", "T", "%", true,
        List.of(new Chart.Group("a", Map.of("ours", 1.0), OptionalDouble.empty())))));
  }
}
