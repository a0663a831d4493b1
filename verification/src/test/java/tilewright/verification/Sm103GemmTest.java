package tilewright.verification;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
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
import org.junit.jupiter.params.provider.ValueSource;
import tilewright.device.assembly.Assembler;
import tilewright.device.assembly.Assembly;
import tilewright.kernel.Chip;
import tilewright.kernel.Target;
import tilewright.kernel.TraceException;
import tilewright.kernels.epilogue.EpilogueArguments;
import tilewright.kernels.epilogue.StandardEpilogue;
import tilewright.kernels.registry.KernelRegistry;
import tilewright.numerics.ElementType;
import tilewright.sm100.NarrowFormat;
import tilewright.sm100.NarrowGemm;
import tilewright.sm100.UmmaTypes;
import tilewright.sm100.atom.MmaFormat;
import tilewright.sm100.atom.MmaKind;
import tilewright.sm100.atom.UmmaAtom;
import tilewright.verification.backend.SimulatorBackend;
import tilewright.verification.cases.NarrowCases;

/** Products of elements of four bits on B300, 96 along k at once. */
class Sm103GemmTest {
  private static final Assembler ASSEMBLER = Assembler.find();

  /** Bit for bit what the arithmetic's model says, and as near the dequantized product as the error rule wants. */
  @TestFactory
  Stream<DynamicTest> isBitExactAndClean() {
    return LongSuite.of(NarrowCases.deep(5)).stream().map(c -> DynamicTest.dynamicTest(c.config(), () -> {
      var row = Verification.verify(c, new SimulatorBackend(3));
      assertEquals(Row.Status.PASS, row.status(), row.reason());
      assertEquals(0, row.findings());
      assertTrue(row.bitExact().orElseThrow());
    }));
  }

  @ParameterizedTest
  @ValueSource(strings = {"mxf4", "nvf4"})
  void isAssembledWithoutSpillsForEveryEpilogue(String name) {
    var format = NarrowFormat.named(name);
    var types = UmmaTypes.of(format, format, ElementType.BF16);
    for (var epilogue : LongSuite.of(List.of(StandardEpilogue.values()))) {
      var problem = NarrowGemm.problem(types, 4096, 4096, 4096).scaled(1, 2);
      var config = NarrowGemm.configure(types, problem, Target.SM103A);
      var kernel = NarrowGemm.prepare(config, problem, 4096,
          EpilogueArguments.packed(epilogue.tree(ElementType.BF16), problem)).kernel();
      int held = Chip.B300.multiprocessor().ctaSharedBytes();
      assertTrue(kernel.dynamicSharedBytes() <= held, kernel.dynamicSharedBytes() + " bytes");
      switch (ASSEMBLER.assemble(kernel.ptx(), "sm_103a")) {
        case Assembly.Assembled assembled -> assertEquals(List.of(0),
            assembled.resources().stream().map(Assembly.Resources::spillStoreBytes).toList());
        case Assembly.Rejected rejected -> fail(rejected.log());
        case Assembly.Unavailable missing -> abort(missing.reason());
      }
    }
  }

  /** Pairs of CTAs have room for stages of 384 bytes along k, and only B300 has the instruction. */
  @Test
  void isChosenForB300WhereThereAreRowsForPairs() {
    for (var name : List.of("mxf4", "nvf4", "mxf8")) {
      var format = NarrowFormat.named(name);
      var types = UmmaTypes.of(format, format, ElementType.BF16);
      boolean four = !name.equals("mxf8");
      assertEquals(four, NarrowGemm.configure(types, NarrowGemm.problem(types, 256, 128, 960), Target.SM103A).deep());
      assertFalse(NarrowGemm.configure(types, NarrowGemm.problem(types, 128, 128, 960), Target.SM103A).deep());
      assertFalse(NarrowGemm.configure(types, NarrowGemm.problem(types, 256, 128, 960)).deep());
    }
    var registry = KernelRegistry.builtIn();
    assertEquals(Target.SM100A, registry.on(100).find("sm100_narrow_gemm").orElseThrow().target());
    assertEquals(Target.SM103A, registry.on(103).find("sm100_narrow_gemm").orElseThrow().target());
  }

  @Test
  void bytesHaveNoSuchInstruction() {
    var refusal = assertThrows(TraceException.class, () -> new UmmaAtom(MmaKind.MXF8F6F4, MmaFormat.E4M3,
        MmaFormat.E4M3, ElementType.F32, 128, 128, 1, true));
    assertTrue(refusal.getMessage().contains("MXF4 and NVF4 have"), refusal.getMessage());
  }
}
