package tilewright.verification;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assertions.fail;
import static org.junit.jupiter.api.Assumptions.abort;

import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import tilewright.device.assembly.Assembler;
import tilewright.device.assembly.Assembly;
import tilewright.kernel.Chip;
import tilewright.kernels.epilogue.EpilogueArguments;
import tilewright.kernels.epilogue.StandardEpilogue;
import tilewright.numerics.ElementType;
import tilewright.sm100.NarrowFormat;
import tilewright.sm100.NarrowGemm;
import tilewright.sm100.UmmaTypes;
import tilewright.sm120.Sm120NarrowGemm;
import tilewright.verification.backend.SimulatorBackend;
import tilewright.verification.cases.NarrowCases;

/** Products with block scales by the {@code mma.sync} of SM120. */
class Sm120GemmTest {
  private static final Assembler ASSEMBLER = Assembler.find();

  /** Bit for bit what the arithmetic's model says, and as near the dequantized product as the error rule wants. */
  @TestFactory
  Stream<DynamicTest> isBitExactAndClean() {
    return LongSuite.of(NarrowCases.byWarps(5)).stream().map(c -> DynamicTest.dynamicTest(c.config(), () -> {
      var row = Verification.verify(c, new SimulatorBackend(3));
      assertEquals(Row.Status.PASS, row.status(), row.reason());
      assertEquals(0, row.findings());
      assertTrue(row.bitExact().orElseThrow());
    }));
  }

  @ParameterizedTest
  @CsvSource({"mxf8, mxf8", "mxf8, mxf8_e5m2", "mxf8_e5m2, mxf8_e5m2", "mxf4, mxf4", "nvf4, nvf4"})
  void isAssembledWithoutSpillsForEveryEpilogue(String a, String b) {
    var types = UmmaTypes.of(NarrowFormat.named(a), NarrowFormat.named(b), ElementType.BF16);
    for (var epilogue : LongSuite.of(List.of(StandardEpilogue.values()))) {
      for (int n : new int[] {4096, 4097}) {
        var problem = NarrowGemm.problem(types, 4096, n, 4096).scaled(1, 2);
        var launch = Sm120NarrowGemm.prepare(types, problem, 4096,
            EpilogueArguments.packed(epilogue.tree(ElementType.BF16), problem));
        int held = Chip.RTX5090.multiprocessor().ctaSharedBytes();
        assertTrue(launch.kernel().dynamicSharedBytes() <= held, launch.kernel().dynamicSharedBytes() + " bytes");
        assertNoSpills(launch.kernel().ptx());
      }
    }
  }

  private static void assertNoSpills(String ptx) {
    switch (ASSEMBLER.assemble(ptx, "sm_120a")) {
      case Assembly.Assembled assembled -> assertEquals(List.of(0),
          assembled.resources().stream().map(Assembly.Resources::spillStoreBytes).toList());
      case Assembly.Rejected rejected -> fail(rejected.log());
      case Assembly.Unavailable missing -> abort(missing.reason());
    }
  }

  @Test
  void refusesOperandsThatDoNotLieAlongK() {
    var format = NarrowFormat.named("mxf8");
    var types = UmmaTypes.of(format, format, ElementType.BF16);
    var problem = NarrowGemm.problem(types, 64, 64, 64, 1, "NN");
    var refusal = assertThrows(IllegalArgumentException.class,
        () -> Sm120NarrowGemm.prepare(types, problem, 64, EpilogueArguments.plain(problem)));
    assertTrue(refusal.getMessage().contains("lie along k on SM120"), refusal.getMessage());
  }
}
