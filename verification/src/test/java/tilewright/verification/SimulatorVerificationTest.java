package tilewright.verification;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.ValueLayout;
import java.util.LinkedHashMap;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import tilewright.kernels.registry.KernelRegistry;
import tilewright.verification.backend.SimulatorBackend;
import tilewright.verification.cases.Case;
import tilewright.verification.cases.Catalogue;

/**
 * Every kernel that is no family in the simulator, sanitizer on, against the CPU reference: bit for bit, attention by
 * the error rule.
 */
class SimulatorVerificationTest {
  private static final AssemblyCheck ASSEMBLY = new AssemblyCheck();

  @TestFactory
  Stream<DynamicTest> everyKernelIsBitExactAndClean() {
    var byKernel = Catalogue.single(20).stream().filter(c -> c.backends().contains("sim"))
        .collect(Collectors.groupingBy(Case::kernel, LinkedHashMap::new, Collectors.toList()));
    return byKernel.values().stream().map(LongSuite::of).flatMap(cases -> {
      // Assembling takes almost as long as simulating; other tests assemble what each kernel is made for.
      var assembled = Set.copyOf(LongSuite.of(cases));
      return cases.stream().map(c -> DynamicTest.dynamicTest(c.kernel() + " " + c.config(), () -> {
        var row = assembled.contains(c) ? Verification.verify(c, new SimulatorBackend(3), ASSEMBLY)
            : Verification.verify(c, new SimulatorBackend(3));
        assertEquals(Row.Status.PASS, row.status(), row.reason());
        assertEquals(0, row.findings());
        assertTrue(row.bitExact().orElse(lacksModel(c)), "not the bits that the arithmetic's model predicts");
      }));
    });
  }

  /** Steps of attention and of activations are not in the reference; their bits are a GPU's (GpuVerificationTest). */
  private static boolean lacksModel(Case c) {
    return c.kernel().endsWith("attention") || c.kernel().endsWith("mla_decode")
        || c.kernel().equals("sm90_dual_gemm");
  }

  /** SM80 kernels with the tensor-core arithmetic of an H200. */
  @TestFactory
  Stream<DynamicTest> tensorCoreKernelsAreBitExactInHoppersArithmetic() {
    return LongSuite.of(Catalogue.single(21).stream()
        .filter(c -> c.kernel().equals("sm80_gemm") && c.backends().contains("sim"))
        // Long sums, which take the reference seconds.
        .filter(c -> !c.config().contains("x4095 ")).toList()).stream()
        .map(c -> DynamicTest.dynamicTest(c.config(), () -> {
          var row = Verification.verify(c, SimulatorBackend.of(3, 90), ASSEMBLY);
          assertEquals(Row.Status.PASS, row.status(), row.reason());
          assertTrue(row.bitExact().orElseThrow(), "not the bits that the arithmetic's model predicts");
        }));
  }

  @Test
  void theCatalogueCoversEveryArchitecture() {
    assertEquals(Set.of("sm80", "sm89", "sm90", "sm100", "sm120"),
        Catalogue.cases(KernelRegistry.builtIn(), 1).stream().map(Case::arch).collect(Collectors.toSet()));
  }

  /** The error rule must be able to say no: one element off by a little more than rounding fails. */
  @Test
  void aResultThatIsSlightlyWrongFails() {
    var c = Catalogue.single(20).stream().filter(x -> x.kernel().equals("sm80_gemm")).findFirst().orElseThrow();
    var inputs = c.inputs().get();
    var buffers = c.inputs().get();
    new SimulatorBackend(3).run(c.launches().get().on(buffers).getFirst());
    var element = ValueLayout.JAVA_FLOAT_UNALIGNED;
    float right = buffers.get("C").get(element, 400);
    buffers.get("C").set(element, 400, right + 1e-3f);
    assertTrue(c.check().compare(inputs, buffers, 80).violation().isPresent());
    buffers.get("C").set(element, 400, right);
    assertTrue(c.check().compare(inputs, buffers, 80).violation().isEmpty());
  }
}
