package tilewright.verification;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.fail;
import static org.junit.jupiter.api.Assumptions.abort;

import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestReporter;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;
import tilewright.device.assembly.Assembler;
import tilewright.device.assembly.Assembly;
import tilewright.kernel.LaunchArguments;
import tilewright.kernel.PreparedLaunch;
import tilewright.kernels.GemmProblem;
import tilewright.kernels.GemmTypes;
import tilewright.kernels.epilogue.EpilogueArguments;
import tilewright.kernels.epilogue.StandardEpilogue;
import tilewright.numerics.ElementType;
import tilewright.sm100.NarrowFormat;
import tilewright.sm100.NarrowGemm;
import tilewright.sm100.NarrowLayout;
import tilewright.sm100.NarrowQuantization;
import tilewright.sm100.PackedVectorAdd;
import tilewright.sm100.ScaleRule;
import tilewright.sm100.Sm100Gemms;
import tilewright.sm100.UmmaTypes;
import tilewright.sm100.atom.MmaFormat;
import tilewright.sm100.atom.MmaKind;

/**
 * What the assembler says of the Blackwell GEMM on every rung, and of what quantizes for it: no registers spilled, no
 * stack, no warnings. Prints the registers of each.
 */
class Sm100AssemblyTest {
  private static final Assembler ASSEMBLER = Assembler.find();

  static List<Arguments> configurations() {
    var ordered = Stream.of("TN", "NN", "TT", "NT")
        .map(order -> Arguments.of(ElementType.BF16, ElementType.BF16, order));
    var others = Stream.of(Arguments.of(ElementType.F16, ElementType.F16, "TN"),
        Arguments.of(ElementType.BF16, ElementType.F32, "TN"));
    var forms = Stream.concat(ordered, others).toList();
    return LongSuite.of(Sm100Gemms.rungs().stream().flatMap(rung -> forms.stream()
        .map(form -> Arguments.of(form.get()[0], form.get()[1], form.get()[2], rung))).toList());
  }

  @ParameterizedTest(name = "{0} to {1}, {2}, {3}")
  @MethodSource("configurations")
  void isAssembledWithoutSpillsAndWarnings(ElementType operand, ElementType output, String order, String rung,
      TestReporter reporter) {
    var problem = GemmProblem.packed(operand, output, 4096, 4096, 4096, 1, order);
    assertAssembled(reporter, Sm100Gemms.prepare(problem, rung));
  }

  @ParameterizedTest
  @EnumSource
  void epiloguesAreToo(StandardEpilogue epilogue, TestReporter reporter) {
    var problem = GemmProblem.packed(ElementType.BF16, ElementType.BF16, 4096, 4096, 4096, 1, "TN").scaled(1, 2);
    assertAssembled(reporter,
        Sm100Gemms.prepare(problem, EpilogueArguments.packed(epilogue.tree(ElementType.BF16), problem)));
  }

  @ParameterizedTest
  @CsvSource({"MXF8F6F4, E4M3, E5M2", "MXF8F6F4, E2M3, E3M2", "MXF4, E2M1, E2M1", "NVF4, E2M1, E2M1",
      "F8F6F4, E2M1, E3M2"})
  void narrowFormatsAreToo(MmaKind kind, MmaFormat a, MmaFormat b, TestReporter reporter) {
    for (int m : new int[] {128, 4096}) {
      assertAssembled(reporter, NarrowGemm.prepare(new UmmaTypes(kind, a, b, ElementType.BF16), m, 4096, 4096, 1));
    }
  }

  /** On one CTA, where copies that unpack along n need a whole tile, and on pairs. */
  @ParameterizedTest
  @CsvSource({"MXF8F6F4, E2M3, E4M3, NT", "F8F6F4, E2M1, E3M2, NT", "F8F6F4, E3M2, E5M2, TT"})
  void narrowFormatsInOtherOrdersAreToo(MmaKind kind, MmaFormat a, MmaFormat b, String order, TestReporter reporter) {
    var types = new UmmaTypes(kind, a, b, ElementType.BF16);
    var problem = NarrowGemm.problem(types, 4096, 4096, 4096, 2, order);
    assertAssembled(reporter, NarrowGemm.prepare(NarrowGemm.configure(types, problem), problem, 4096,
        NarrowGemm.withFactors(EpilogueArguments.plain(problem), 2)));
  }

  @ParameterizedTest
  @EnumSource(names = {"TF32", "E4M3", "E5M2", "I8"})
  void otherTypesAreToo(ElementType type, TestReporter reporter) {
    var types = GemmTypes.of(type, GemmTypes.usualOutput(type));
    for (var order : List.of("TN", "NT")) {
      for (var rung : LongSuite.of(Sm100Gemms.rungs())) {
        assertAssembled(reporter, Sm100Gemms.prepare(GemmProblem.packed(types, 4096, 4096, 4096, 1, order), rung));
      }
    }
  }

  /** Quantizers of rows that are read 16 bytes at a time, and of unaligned rows. */
  @ParameterizedTest
  @EnumSource(names = {"F32", "BF16", "F16"})
  void quantizersAreToo(ElementType type, TestReporter reporter) {
    for (long stride : new long[] {1024, 1025}) {
      var x = new LaunchArguments.Tensor("X", 0, List.of(1024L, 1024L), List.of(stride, 1L));
      assertAssembled(reporter, NarrowQuantization.largest(type, x));
      for (var format : NarrowFormat.named().values()) {
        for (var rule : ScaleRule.values()) {
          assertAssembled(reporter, NarrowQuantization.quantize(new NarrowLayout(format.scaledBy(rule), 1024, 1024),
              type, x));
        }
      }
    }
  }

  @Test
  void packedAdditionIsToo(TestReporter reporter) {
    assertAssembled(reporter, PackedVectorAdd.prepare(1024));
  }

  private static void assertAssembled(TestReporter reporter, PreparedLaunch launch) {
    switch (ASSEMBLER.assemble(launch.kernel().ptx(), "sm_100a")) {
      case Assembly.Assembled assembled -> {
        assertEquals(List.of(), assembled.warnings());
        var needs = assembled.resources().getFirst();
        assertEquals(0, needs.spillStoreBytes() + needs.spillLoadBytes() + needs.stackBytes(), needs.toString());
        reporter.publishEntry(needs.entry(),
            needs.registers() + " registers, " + needs.stackBytes() + " bytes of stack");
      }
      case Assembly.Rejected rejected -> fail(rejected.log());
      case Assembly.Unavailable missing -> abort(missing.reason());
    }
  }
}
