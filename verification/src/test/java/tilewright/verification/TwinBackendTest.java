package tilewright.verification;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.ValueLayout;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;
import tilewright.kernels.VectorAdd;
import tilewright.ptx.Launch;
import tilewright.verification.backend.Backend;
import tilewright.verification.backend.SimulatorBackend;
import tilewright.verification.backend.TwinBackend;
import tilewright.verification.cases.Case;
import tilewright.verification.cases.EpilogueCases;
import tilewright.verification.cases.MemoryCases;

/** The simulator beside something that stands for a GPU. */
class TwinBackendTest {
  private static final int N = 1001;

  /** A simulator whose results get the sign of one element flipped. */
  private record Flipping(Backend of, boolean flips) implements Backend {
    @Override
    public String name() {
      return "gpu";
    }

    @Override
    public Optional<String> refuses(String arch) {
      return Optional.empty();
    }

    @Override
    public Outcome run(Launch launch) {
      var outcome = of.run(launch);
      var c = launch.buffers().get("Z");
      if (flips) c.setAtIndex(ValueLayout.JAVA_FLOAT, 700, -c.getAtIndex(ValueLayout.JAVA_FLOAT, 700));
      return outcome;
    }

    @Override
    public void close() {}
  }

  private static Case addition() {
    return MemoryCases.vectorAdd("vector_add", "sm80", () -> VectorAdd.prepare(N), N, 1);
  }

  private static Row verified(boolean flips) {
    return Verification.verify(addition(), TwinBackend.of(new Flipping(new SimulatorBackend(1), flips), 2));
  }

  @Test
  void theSameBitsPass() {
    var row = verified(false);
    assertEquals(Row.Status.PASS, row.status(), row.reason());
    assertEquals("both", row.backend());
  }

  @Test
  void oneOtherBitFails() {
    var row = verified(true);
    assertEquals(Row.Status.FAIL, row.status());
    assertEquals(1, row.findings());
  }

  @Test
  void oneOtherBitIsNamedWithItsPlace() {
    var c = addition();
    var findings = TwinBackend.of(new Flipping(new SimulatorBackend(1), true), 2)
        .run(c.launches().get().on(c.inputs().get()).getFirst()).findings();
    assertTrue(findings.getFirst().startsWith("Z: 1 of 4004 bytes differ, the first at 2803: "), findings.toString());
  }

  @Test
  void whatOneOfTheTwoCannotRunIsSkipped() {
    var c = addition();
    var large = new Case(c.kernel(), c.arch(), c.config(), Set.of("gpu"), c.price(), c.launches(), c.inputs(),
        c.check(), true);
    var row = Verification.verify(large, TwinBackend.of(new Flipping(new SimulatorBackend(1), false), 2));
    assertEquals(Row.Status.SKIPPED, row.status());
    assertEquals("too large for both", row.reason());
  }

  @Test
  void sumsInAnyOrderAreNotAskedForTheirBits() {
    var row = Verification.verify(addition().unordered(),
        TwinBackend.of(new Flipping(new SimulatorBackend(1), false), 2));
    assertEquals("the order of its float sums is open", row.reason());
  }

  @Test
  void onlyEpiloguesThatAddUpAcrossTilesAreUnordered() {
    var unordered = EpilogueCases.hopper(1).stream().filter(c -> !c.ordered()).map(Case::config)
        .map(c -> c.substring(c.indexOf('=') + 1)).toList();
    assertEquals(List.of("row_sum", "column_sum"), unordered);
  }
}
