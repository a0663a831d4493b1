package tilewright.verification;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import tilewright.kernels.registry.Family;
import tilewright.kernels.registry.KernelRegistry;
import tilewright.kernels.registry.Setting;
import tilewright.kernels.registry.TimingRequest;
import tilewright.verification.backend.SimulatorBackend;
import tilewright.verification.cases.Case;
import tilewright.verification.cases.FamilyCases;
import tilewright.verification.rows.LearnNotes;
import tilewright.verification.rows.NotedRow;

/** Every row of CUDA-Learn-Notes has a kernel of ours that its settings select, a page, or the reason for neither. */
class LearnNotesTest {
  private static final KernelRegistry REGISTRY = KernelRegistry.builtIn();

  @Test
  void everyTableIsWhole() {
    var counts = LearnNotes.rows().stream()
        .collect(Collectors.groupingBy(NotedRow::section, LinkedHashMap::new, Collectors.counting()));
    assertEquals(Map.of("Easy and medium", 121L, "Hard", 38L, "FlashAttention-2 MMA", 28L, "FFPA", 9L), counts);
    var names = new HashSet<String>();
    LearnNotes.rows().forEach(row -> assertEquals(true, names.add(row.name()), row.name()));
  }

  @Test
  void everySelectionResolves() {
    var failures = new ArrayList<String>();
    for (var row : LearnNotes.rows()) {
      if (!(row.counterpart() instanceof NotedRow.Selection selection)) continue;
      try {
        var kernel = selection.in(REGISTRY);
        kernel.requireSupported(selection.of(kernel));
      } catch (IllegalArgumentException e) {
        failures.add(row.name() + ": " + e.getMessage());
      }
    }
    assertEquals(List.of(), failures);
  }

  /** Each row's kernel can be timed by its options, on extents of the family's own. */
  @Test
  void everySelectionOfAFamilyIsMeasured() {
    for (var row : LearnNotes.rows()) {
      if (!(row.counterpart() instanceof NotedRow.Selection selection)) continue;
      if (!(selection.in(REGISTRY) instanceof Family family)) continue;
      var options = new HashMap<>(selection.settings());
      family.settings().stream().filter(setting -> !setting.option()).map(Setting::name).forEach(options::remove);
      var problems = family.timing().orElseThrow().problems(new TimingRequest(options, false, 1024));
      assertFalse(problems.isEmpty(), () -> "bench " + selection.options() + " has nothing to time");
    }
  }

  /** Rows that differ there differ here: no two of them name one kernel. */
  @Test
  void noTwoRowsSelectTheSame() {
    var rows = new LinkedHashMap<NotedRow.Selection, String>();
    for (var row : LearnNotes.rows()) {
      if (!(row.counterpart() instanceof NotedRow.Selection selection)) continue;
      var other = rows.put(selection, row.name());
      assertFalse(other != null, () -> row.name() + " and " + other + " both are " + selection.options());
    }
  }

  /**
   * The selected kernels, assembled, on every extent that breaks kernels and with NaNs; in other builds a sample of
   * them on the last extents, not assembled.
   */
  @TestFactory
  Stream<DynamicTest> everySelectionAgreesWithItsReference() {
    var selections = LearnNotes.rows().stream().map(NotedRow::counterpart)
        .filter(NotedRow.Selection.class::isInstance).map(NotedRow.Selection.class::cast)
        .filter(selection -> selection.in(REGISTRY) instanceof Family).toList();
    var assembly = new AssemblyCheck();
    return LongSuite.of(selections).stream().flatMap(LearnNotesTest::cases)
        .map(c -> DynamicTest.dynamicTest(c.kernel() + " " + c.config(), () -> {
          var row = LongSuite.EVERY_CASE ? Verification.verify(c, new SimulatorBackend(3), assembly)
              : Verification.verify(c, new SimulatorBackend(3));
          assertEquals(Row.Status.PASS, row.status(), row.reason());
          assertEquals(0, row.findings());
        }));
  }

  private static Stream<Case> cases(NotedRow.Selection selection) {
    var family = (Family) selection.in(REGISTRY);
    var all = FamilyCases.chosen(family, selection.settings(), 20);
    // The last but one has the last extents without NaNs.
    return LongSuite.EVERY_CASE ? all.stream() : Stream.of(all.get(all.size() - 2));
  }
}
