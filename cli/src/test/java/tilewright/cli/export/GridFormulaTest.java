package tilewright.cli.export;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import tilewright.ptx.Dim3;

class GridFormulaTest {
  @Test
  void findsTheTileOfOneExtent() {
    var formula = GridFormula.find(Map.of("N", 1 << 20), e -> Optional.of(Dim3.of(Math.ceilDiv(e.get("N"), 1000))));
    assertEquals(List.of("ceil(N/1000)", "1", "1"), formula.orElseThrow().directions().stream()
        .map(Object::toString).toList());
  }

  @Test
  void findsTilesInSeveralDirectionsAndFactors() {
    var formula = GridFormula.find(Map.of("M", 500, "N", 300, "L", 3), e -> Optional.of(new Dim3(
        Math.ceilDiv(e.get("M"), 128) * Math.ceilDiv(e.get("N"), 64), 2 * Math.ceilDiv(e.get("N"), 32), e.get("L"))))
        .orElseThrow();
    assertEquals(List.of("ceil(M/128) * ceil(N/64)", "2 * ceil(N/32)", "L"), formula.directions().stream()
        .map(Object::toString).toList());
    assertEquals(List.of(8L * 11, 2L * 22, 5L), formula.at(Map.of("M", 1000, "N", 700, "L", 5)));
  }

  @Test
  void aGridIsNeverEmpty() {
    var formula = GridFormula.find(Map.of("N", 5), e -> Optional.of(Dim3.of(Math.max(1, e.get("N")))));
    assertEquals(List.of(1L, 1L, 1L), formula.orElseThrow().at(Map.of("N", 0)));
  }

  @Test
  void onlyExtentsOfTheSameKernelCount() {
    var formula = GridFormula.find(Map.of("N", 100),
        e -> e.get("N") > 5000 ? Optional.empty() : Optional.of(Dim3.of(Math.ceilDiv(e.get("N"), 64))));
    assertEquals("ceil(N/64)", formula.orElseThrow().directions().getFirst().toString());
  }

  @Test
  void alignedExtentsSuffice() {
    var formula = GridFormula.find(Map.of("N", 1024),
        e -> e.get("N") % 64 != 0 ? Optional.empty() : Optional.of(Dim3.of(Math.ceilDiv(e.get("N"), 128))));
    assertEquals("ceil(N/128)", formula.orElseThrow().directions().getFirst().toString());
  }

  @Test
  void aKernelForOneExtentOnlyHasNoFormula() {
    assertTrue(GridFormula.find(Map.of("N", 100),
        e -> e.get("N") == 100 ? Optional.of(Dim3.of(7)) : Optional.empty()).isEmpty());
  }

  @Test
  void whatIsNoProductOfTilesHasNoFormula() {
    assertTrue(GridFormula.find(Map.of("N", 100), e -> Optional.of(Dim3.of(e.get("N") * e.get("N")))).isEmpty());
    assertTrue(GridFormula.find(Map.of("N", 100), e -> Optional.of(Dim3.of(e.get("N") % 5 + 1))).isEmpty());
  }

  @Test
  void aGridMayHaveALimit() {
    var formula = GridFormula.find(Map.of("M", 1000, "N", 500), e -> Optional.of(Dim3.of(Math.min(132,
        Math.ceilDiv(e.get("M"), 128) * Math.ceilDiv(e.get("N"), 256))))).orElseThrow();
    assertEquals("min(132, ceil(M/128) * ceil(N/256))", formula.directions().getFirst().toString());
    assertEquals(List.of(132L, 1L, 1L), formula.at(Map.of("M", 1 << 20, "N", 1 << 20)));
  }
}
