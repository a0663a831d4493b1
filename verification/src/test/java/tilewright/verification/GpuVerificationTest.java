package tilewright.verification;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.TestFactory;

/** Every kernel on this machine's GPU, against the CPU reference: bit for bit where its arithmetic is modelled. */
@Tag("gpu")
class GpuVerificationTest {
  private static final AssemblyCheck ASSEMBLY = new AssemblyCheck();

  @TestFactory
  Stream<DynamicTest> everyKernelIsBitExact() {
    var gpu = GpuBackend.open();
    return Catalogue.cases(20).stream().map(c -> DynamicTest.dynamicTest(c.kernel() + " " + c.config(), () -> {
      var refusal = gpu.refuses(c.arch());
      assumeTrue(refusal.isEmpty(), () -> refusal.orElse(""));
      var row = Verification.verify(c, gpu, ASSEMBLY);
      assertEquals(Row.Status.PASS, row.status(), row.reason());
      assertTrue(row.bitExact().orElse(true), "not the bits that the arithmetic's model predicts");
    })).onClose(gpu::close);
  }
}
