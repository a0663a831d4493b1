package tilewright.verification;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.fail;
import static org.junit.jupiter.api.Assumptions.abort;

import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;
import tilewright.device.Assembler;
import tilewright.device.Assembly;
import tilewright.kernel.PreparedLaunch;
import tilewright.kernels.GemmProblem;
import tilewright.kernels.GemmTypes;
import tilewright.kernels.epilogue.EpilogueArguments;
import tilewright.kernels.epilogue.StandardEpilogue;
import tilewright.numerics.ElementType;
import tilewright.sm100.BlackwellGemm;
import tilewright.sm100.NarrowGemm;
import tilewright.sm100.UmmaTypes;
import tilewright.sm100.atom.MmaFormat;
import tilewright.sm100.atom.MmaKind;

/** What the assembler says of the Blackwell GEMM on every rung: no registers spilled, no warnings. */
class BlackwellAssemblyTest {
  private static final Assembler ASSEMBLER = Assembler.find();

  static Stream<Arguments> configurations() {
    var ordered = Stream.of("TN", "NN", "TT", "NT")
        .map(order -> Arguments.of(ElementType.BF16, ElementType.BF16, order));
    var others = Stream.of(Arguments.of(ElementType.F16, ElementType.F16, "TN"),
        Arguments.of(ElementType.BF16, ElementType.F32, "TN"));
    return Stream.concat(ordered, others).flatMap(form -> BlackwellGemm.rungs().stream()
        .map(rung -> Arguments.of(form.get()[0], form.get()[1], form.get()[2], rung)));
  }

  @ParameterizedTest(name = "{0} to {1}, {2}, {3}")
  @MethodSource("configurations")
  void isAssembledWithoutSpillsAndWarnings(ElementType operand, ElementType output, String order, String rung) {
    assertAssembled(BlackwellGemm.prepare(GemmProblem.packed(operand, output, 4096, 4096, 4096, 1, order), rung));
  }

  @ParameterizedTest
  @EnumSource
  void epiloguesAreToo(StandardEpilogue epilogue) {
    var problem = GemmProblem.packed(ElementType.BF16, ElementType.BF16, 4096, 4096, 4096, 1, "TN").scaled(1, 2);
    assertAssembled(BlackwellGemm.prepare(problem, EpilogueArguments.packed(epilogue.tree(ElementType.BF16), problem)));
  }

  @ParameterizedTest
  @CsvSource({"MXF8F6F4, E4M3, E5M2", "MXF8F6F4, E2M3, E3M2", "MXF4, E2M1, E2M1", "NVF4, E2M1, E2M1",
      "F8F6F4, E2M1, E3M2"})
  void narrowFormatsAreToo(MmaKind kind, MmaFormat a, MmaFormat b) {
    for (int m : new int[] {128, 4096}) {
      assertAssembled(NarrowGemm.prepare(new UmmaTypes(kind, a, b, ElementType.BF16), m, 4096, 4096, 1));
    }
  }

  @ParameterizedTest
  @EnumSource(names = {"TF32", "E4M3", "E5M2", "I8"})
  void otherTypesAreToo(ElementType type) {
    var types = GemmTypes.of(type, GemmTypes.usualOutput(type));
    assertAssembled(BlackwellGemm.prepare(GemmProblem.packed(types, 4096, 4096, 4096, 1, "TN")));
  }

  private static void assertAssembled(PreparedLaunch launch) {
    switch (ASSEMBLER.assemble(launch.kernel().ptx(), "sm_100a")) {
      case Assembly.Assembled assembled -> {
        assertEquals(List.of(), assembled.warnings());
        assertEquals(List.of(0), assembled.resources().stream().map(Assembly.Resources::spillStoreBytes).toList());
      }
      case Assembly.Rejected rejected -> fail(rejected.log());
      case Assembly.Unavailable missing -> abort(missing.reason());
    }
  }
}
