package tilewright.verification;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assertions.fail;
import static org.junit.jupiter.api.Assumptions.abort;

import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import tilewright.device.assembly.Assembler;
import tilewright.device.assembly.Assembly;
import tilewright.kernel.Chip;
import tilewright.kernel.Target;
import tilewright.kernels.Accumulation;
import tilewright.kernels.GemmProblem;
import tilewright.kernels.GemmTypes;
import tilewright.kernels.epilogue.EpilogueArguments;
import tilewright.kernels.epilogue.StandardEpilogue;
import tilewright.kernels.gemm.Gemm;
import tilewright.kernels.library.GemmKernel;
import tilewright.kernels.registry.KernelRegistry;
import tilewright.numerics.ElementType;
import tilewright.verification.backend.SimulatorBackend;
import tilewright.verification.cases.Case;
import tilewright.verification.cases.Catalogue;

/** The SM80 GEMM on operands of 8 bits, and the tiles of either on GPUs with less shared memory than an A100. */
class Sm89GemmTest {
  private static final Assembler ASSEMBLER = Assembler.find();
  private static final GemmKernel KERNEL =
      (GemmKernel) KernelRegistry.builtIn().find("sm89_gemm").orElseThrow();

  /** Where tensor cores multiply halves instead, and where they add up as Blackwell's. */
  @ParameterizedTest
  @ValueSource(ints = {90, 120})
  void hasTheBitsOfOtherTensorCoresToo(int architecture) {
    var cases = Catalogue.single(20).stream().filter(c -> c.kernel().equals("sm89_gemm")
        && c.backends().contains("sim") && !c.config().startsWith("512x")).toList();
    for (var c : LongSuite.of(cases)) assertBitExact(c, architecture);
  }

  private static void assertBitExact(Case c, int architecture) {
    var row = Verification.verify(c, SimulatorBackend.of(3, architecture));
    assertEquals(Row.Status.PASS, row.status(), c.config() + ": " + row.reason());
    assertTrue(row.bitExact().orElseThrow(), c.config());
  }

  /** A sample has every type with every number of rows, and every order with some of them. */
  static List<GemmProblem> problems() {
    var types = List.of(GemmTypes.of(ElementType.E4M3, ElementType.BF16),
        new GemmTypes(ElementType.E5M2, ElementType.E4M3, ElementType.F32, Accumulation.FAST),
        GemmTypes.of(ElementType.BF16, ElementType.BF16));
    return LongSuite.of(Stream.of("TN", "NN", "TT", "NT").flatMap(order -> Stream.of(4096, 4100, 4099)
        .flatMap(n -> types.stream().map(t -> GemmProblem.packed(t, n, n, n, 1, order)))).toList());
  }

  /** Rows of every alignment, in tiles that a GPU of 100 KiB holds. */
  @ParameterizedTest
  @MethodSource("problems")
  void isAssembledWithoutSpills(GemmProblem problem) {
    var config = Gemm.configure(problem, Chip.RTX4090.capability());
    var launch = Gemm.sm80(problem, config);
    int held = Chip.RTX5090.multiprocessor().ctaSharedBytes();
    assertTrue(launch.kernel().dynamicSharedBytes() <= held, config + " needs " + launch.kernel().dynamicSharedBytes());
    for (var target : List.of("sm_89", "sm_120a")) assertNoSpills(launch.kernel().ptx(), target);
  }

  @Test
  void epiloguesAreAssembledToo() {
    var problem = GemmProblem.packed(GemmTypes.of(ElementType.E4M3, ElementType.BF16), 4096, 4096, 4096, 1, "TN")
        .scaled(1, 2);
    for (var epilogue : LongSuite.of(List.of(StandardEpilogue.values()))) {
      var arguments = EpilogueArguments.packed(epilogue.tree(problem.output()), problem);
      assertNoSpills(KERNEL.prepare(problem, arguments).kernel().ptx(), Target.SM89.architecture());
    }
  }

  private static void assertNoSpills(String ptx, String target) {
    switch (ASSEMBLER.assemble(ptx, target)) {
      case Assembly.Assembled assembled -> assertEquals(List.of(0),
          assembled.resources().stream().map(Assembly.Resources::spillStoreBytes).toList(), target);
      case Assembly.Rejected rejected -> fail(rejected.log());
      case Assembly.Unavailable missing -> abort(missing.reason());
    }
  }

  @ParameterizedTest
  @CsvSource({"BF16, FAST, sm80_gemm", "E4M3, EXACT, sums stay in the tensor core"})
  void refusesOtherOperands(ElementType type, Accumulation accumulation, String reason) {
    var types = new GemmTypes(type, type, ElementType.F32, accumulation);
    var refusal = KERNEL.refusal(GemmProblem.packed(types, 64, 64, 64, 1, "TN"));
    assertTrue(refusal.orElseThrow().contains(reason), refusal.toString());
  }
}
