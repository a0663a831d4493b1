package tilewright.junit;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.platform.engine.discovery.DiscoverySelectors.selectClass;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.platform.engine.TestExecutionResult;
import org.junit.platform.testkit.engine.EngineTestKit;
import tilewright.kernel.Kernel;
import tilewright.kernel.Scope;
import tilewright.kernel.TensorSpec;
import tilewright.kernels.Transpose;
import tilewright.layout.Layout;
import tilewright.numerics.ElementType;

/** Tests of kernels as JUnit runs them. */
class KernelTestTest {

  /** Y = X reversed in blocks of 64 by way of shared memory, with or without its barrier. */
  private record Reversed(boolean ordered) implements Kernel {
    @Override
    public String name() {
      return "reversed";
    }

    @Override
    public void trace(Scope k) {
      var i = k.block(64);
      var x = k.global(TensorSpec.of("X", ElementType.F32, "N")).tile(List.of(64), k.blockX());
      var y = k.global(TensorSpec.of("Y", ElementType.F32, "N")).tile(List.of(64), k.blockX());
      var tile = k.shared("tile", ElementType.F32, Layout.parse("64:1"));
      tile.at(i).store(x.at(i).load());
      if (ordered) k.barrier();
      y.at(i).store(tile.at(k.constant(63).minus(i)).load());
    }
  }

  /** Only the tests below run it. */
  static final class Examples {
    @KernelTest
    void ordered(Simulation simulation) {
      var run = simulation.kernel(new Reversed(true)).in("X", new float[64]).out("Y").run();
      assertArrayEquals(new float[64], run.floats("Y"));
    }

    /** The result is right, since all numbers are zero. */
    @KernelTest
    void unordered(Simulation simulation) {
      simulation.kernel(new Reversed(false)).in("X", new float[64]).out("Y").run();
    }

    @KernelTest(seeds = 3)
    void seeded(Simulation simulation) {
      var run = simulation.launch(Transpose.prepare(2, 2)).in("X", new float[] {1, 2, 3, 4}).out("Y").run();
      assertArrayEquals(new float[] {1, 3, 2, 4}, run.floats("Y"));
      assertEquals(0, simulation.seed());
    }

    @KernelTest(seeds = 0)
    void never(Simulation simulation) {}
  }

  private static List<TestExecutionResult> results(String method) {
    return EngineTestKit.engine("junit-jupiter").selectors(selectClass(Examples.class)).execute().allEvents().finished()
        .stream().filter(e -> e.getTestDescriptor().getUniqueId().toString().contains(":" + method + "("))
        .map(e -> e.getRequiredPayload(TestExecutionResult.class)).toList();
  }

  private static List<TestExecutionResult.Status> statuses(String method) {
    return results(method).stream().map(TestExecutionResult::getStatus).toList();
  }

  @Test
  void aCorrectKernelPasses() {
    var passed = TestExecutionResult.Status.SUCCESSFUL;
    assertEquals(List.of(passed, passed), statuses("ordered"));
  }

  @Test
  void aKernelWithoutItsBarrierFailsWithTheReport() {
    var failure = results("unordered").getFirst().getThrowable().orElseThrow();
    assertEquals(AssertionError.class, failure.getClass());
    var report = failure.getMessage();
    assertTrue(report.startsWith("kernel reversed on the simulator: 1 finding\n\nRACE at KernelTestTest.java:"), report);
    assertTrue(report.contains("likely fix: put k.barrier() between KernelTestTest.java:"), report);
  }

  @Test
  void everySeedIsATestOfItsOwn() {
    var passed = TestExecutionResult.Status.SUCCESSFUL;
    var failed = TestExecutionResult.Status.FAILED;
    assertEquals(List.of(passed, failed, failed, passed), statuses("seeded"));
  }

  @Test
  void aTestNeedsASeed() {
    assertEquals("seeds is 0, but a test needs one at least",
        results("never").getFirst().getThrowable().orElseThrow().getMessage());
  }
}
