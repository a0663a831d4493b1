package tilewright.verification;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.TestFactory;
import tilewright.kernels.registry.KernelRegistry;
import tilewright.verification.backend.Backend;
import tilewright.verification.backend.GpuBackend;
import tilewright.verification.backend.TwinBackend;
import tilewright.verification.cases.Case;
import tilewright.verification.cases.Catalogue;

/**
 * Every kernel on this machine's GPU: against the CPU reference, bit for bit where that has the kernel's own steps, and
 * bit for bit against the simulator where it is quick enough. What an assembler says of the kernels is the simulator's
 * tests' to ask; here the driver compiles them.
 */
@Tag("gpu")
class GpuVerificationTest {

  @TestFactory
  Stream<DynamicTest> everyKernelIsBitExact() {
    var gpu = GpuBackend.open();
    // Nearly all the time goes to inputs, references and the driver's compiler, which all processors can share.
    var processors = Executors.newFixedThreadPool(Runtime.getRuntime().availableProcessors());
    return Catalogue.cases(KernelRegistry.builtIn(), 20).stream()
        .map(c -> new Running(c, processors.submit(() -> Verification.verify(c, beside(gpu, c))))).toList().stream()
        .map(r -> DynamicTest.dynamicTest(r.of.kernel() + " " + r.of.config(), () -> check(r.row.get())))
        .onClose(processors::shutdownNow).onClose(gpu::close);
  }

  /** A GPU, beside the simulator where both must leave the same bits. */
  private static Backend beside(Backend gpu, Case c) {
    return c.ordered() && c.backends().contains("sim") ? TwinBackend.of(gpu, 20) : gpu;
  }

  private record Running(Case of, Future<Row> row) {}

  private static void check(Row row) {
    assumeTrue(row.status() != Row.Status.SKIPPED, row.reason());
    assertEquals(Row.Status.PASS, row.status(), row.reason());
    assertTrue(row.bitExact().orElse(true), "not the bits that the arithmetic's model predicts");
  }
}
