package tilewright.verification;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import tilewright.kernels.registry.KernelRegistry;
import tilewright.verification.cases.Case;
import tilewright.verification.cases.Catalogue;

/** The budget of {@code verify --size quick}, without a clock. */
class QuickCasesTest {
  private static final List<Case> ALL = Catalogue.cases(KernelRegistry.builtIn(), 1);

  /** Fails when the first cases of all kernels cost more than there is: a new kernel needs a smaller first case. */
  @Test
  void theCatalogueStaysWithinTheBudget() {
    var quick = QuickCases.of(ALL).stream().map(ALL::get).toList();
    long simulated = quick.stream().filter(QuickCases::isSimulated).mapToLong(Case::price).sum();
    long others = quick.stream().filter(c -> !QuickCases.isSimulated(c)).mapToLong(Case::price).sum();
    assertTrue(simulated <= QuickCases.SIMULATED, "quick costs " + simulated + " of " + QuickCases.SIMULATED);
    assertTrue(others <= QuickCases.GPU_ONLY, "a GPU's quick costs " + others + " of " + QuickCases.GPU_ONLY);
  }

  @Test
  void everyKernelIsVerified() {
    var quick = QuickCases.of(ALL).stream().map(ALL::get).filter(QuickCases::isSimulated).map(Case::kernel);
    assertEquals(ALL.stream().map(Case::kernel).collect(Collectors.toSet()), quick.collect(Collectors.toSet()));
  }

  /** A kernel more leaves less to the others; it adds nothing to the whole. */
  @Test
  void aFurtherKernelCannotRefillTheBudget() {
    var more = new ArrayList<>(ALL);
    for (int i = 0; i < 100; i++) more.add(made("new", "case " + i, 900, Set.of("sim")));
    var quick = QuickCases.of(more).stream().map(more::get).filter(QuickCases::isSimulated).toList();
    assertTrue(quick.stream().anyMatch(c -> c.kernel().equals("new")));
    assertTrue(quick.stream().mapToLong(Case::price).sum() <= QuickCases.SIMULATED);
    var before = QuickCases.of(ALL).stream().map(ALL::get).filter(QuickCases::isSimulated);
    long left = quick.stream().filter(c -> !c.kernel().equals("new")).mapToLong(Case::price).sum();
    assertTrue(left < before.mapToLong(Case::price).sum());
  }

  @Test
  void kernelsTakeTurnsAndWhatIsTooDearIsPassedOver() {
    var cases = new ArrayList<Case>();
    long part = QuickCases.SIMULATED / 40;
    for (int parts : List.of(10, 20, 15, 5, 1)) cases.add(made("a", "", parts * part, Set.of("sim", "gpu")));
    for (int parts : List.of(2, 3)) cases.add(made("b", "", parts * part, Set.of("sim")));
    // Of 40 parts, in turns: 10 + 2, then 20 + 3; 15 is too dear, 5 is the rest, and nothing is left for 1.
    assertEquals(List.of(0, 1, 3, 5, 6), QuickCases.of(cases));
  }

  @Test
  void aKernelAloneHasTheWholeBudget() {
    var appending = IntStream.range(0, ALL.size()).filter(i -> ALL.get(i).kernel().equals("append_cache")).count();
    var options = new VerifyOptions(Set.of("append_cache"), Map.of(), Set.of(), Set.of("sim"),
        VerifyOptions.Size.QUICK, 1, 1, Optional.empty());
    assertEquals(appending, options.places(ALL).size());
    var rows = new VerifyOptions(Set.of(), Map.of(), Set.of(), Set.of("sim"), VerifyOptions.Size.FULL, 1, 1,
        Optional.empty()).places(ALL);
    assertEquals(ALL.size(), rows.size());
  }

  private static Case made(String kernel, String config, long price, Set<String> backends) {
    return new Case(kernel, "sm80", config, backends, price, () -> {
      throw new AssertionError();
    }, Map::of, (_, _, _) -> {
      throw new AssertionError();
    });
  }
}
