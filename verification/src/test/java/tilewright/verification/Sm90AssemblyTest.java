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
import org.junit.jupiter.params.provider.ValueSource;
import tilewright.device.assembly.Assembler;
import tilewright.device.assembly.Assembly;
import tilewright.kernel.PreparedLaunch;
import tilewright.kernels.Accumulation;
import tilewright.kernels.GemmProblem;
import tilewright.kernels.GemmTypes;
import tilewright.kernels.Pointwise;
import tilewright.kernels.epilogue.EpilogueArguments;
import tilewright.kernels.epilogue.StandardEpilogue;
import tilewright.numerics.ElementType;
import tilewright.sm90.DualGemm;
import tilewright.sm90.GroupedGemm;
import tilewright.sm90.Grouping;
import tilewright.sm90.MixedGemm;
import tilewright.sm90.ScaledGemm;
import tilewright.sm90.SparseGemm;
import tilewright.sm90.Sm90Gemms;

/** Assembles the Hopper GEMM in every tile: without spills, and without serialised {@code wgmma}. */
class Sm90AssemblyTest {
  private static final Assembler ASSEMBLER = Assembler.find();
  private static final GemmTypes BF16 = GemmTypes.of(ElementType.BF16, ElementType.BF16);

  static List<Arguments> configurations() {
    var ordered = Stream.of("TN", "NN", "TT", "NT").map(order -> Arguments.of(BF16, order));
    var others = Stream.of(GemmTypes.of(ElementType.F16, ElementType.F16),
        GemmTypes.of(ElementType.F16, ElementType.F16).summedIn(ElementType.F16),
        GemmTypes.of(ElementType.F16, ElementType.F32).summedIn(ElementType.F16),
        GemmTypes.of(ElementType.BF16, ElementType.F32), GemmTypes.of(ElementType.TF32, ElementType.F32),
        GemmTypes.of(ElementType.I8, ElementType.I32), GemmTypes.of(ElementType.E4M3, ElementType.BF16),
        new GemmTypes(ElementType.E4M3, ElementType.E5M2, ElementType.BF16, Accumulation.EXACT),
        new GemmTypes(ElementType.E4M3, ElementType.E4M3, ElementType.BF16, Accumulation.SCALED))
        .map(types -> Arguments.of(types, "TN"));
    return LongSuite.of(Stream.concat(ordered, others)
        .flatMap(form -> tiles((GemmTypes) form.get()[0], (String) form.get()[1])
            .map(tile -> Arguments.of(form.get()[0], form.get()[1], tile))).toList());
  }

  /** Tiles that not all types have are tried in bf16, in tf32 and 8 bits those of a few widths, and with f16 sums. */
  private static Stream<String> tiles(GemmTypes types, String order) {
    boolean all = types.a().bits() != 16 || types.accumulator() == ElementType.F16
        || types.a() == ElementType.BF16 && order.equals("TN") && types.output() == ElementType.BF16;
    var tiles = Sm90Gemms.tiles(GemmProblem.packed(types, 1024, 1024, 1024, 1, order));
    return Sm90Gemms.tiles().stream().filter(tiles::contains)
        .filter(tile -> types.a().bits() == 16 || !tile.contains("transposed") || tile.contains("x192x"))
        .limit(all ? Long.MAX_VALUE : 7);
  }

  @ParameterizedTest(name = "{0}, {1}, {2}")
  @MethodSource("configurations")
  void isAssembledWithoutSpillsAndWarnings(GemmTypes types, String order, String tile) {
    var problem = GemmProblem.packed(types, 4096, 4096, 4096, 1, order);
    var config = Sm90Gemms.configure(problem, tile);
    assertAssembled(types.accumulation() == Accumulation.SCALED ? ScaledGemm.packed(problem).prepare(config)
        : Sm90Gemms.prepare(problem, config));
  }

  /** Consumers of 176 columns compute anew what would be spilled at the kernel's begin; those of 224 would spill it. */
  @ParameterizedTest
  @ValueSource(strings = {"128x176x2-shared-tail", "128x176x2-transposed-shared-tail",
      "128x224x2-transposed-shared-tail"})
  void tilesCutAlongKAreAssembledWithoutSpillsAndWarnings(String tile) {
    var problem = GemmProblem.packed(ElementType.BF16, ElementType.F32, 4096, 4096, 4096, 1, "TN");
    assertAssembled(Sm90Gemms.prepare(problem, Sm90Gemms.configure(problem, tile)));
  }

  @ParameterizedTest
  @EnumSource(names = {"CONTIGUOUS", "MASKED"})
  void groupsAreAssembledWithoutSpillsAndWarnings(Grouping grouping) {
    for (var operand : List.of(ElementType.BF16, ElementType.E4M3)) {
      var problem = GemmProblem.packed(operand, ElementType.BF16, 4096, 4096, 4096, grouping == Grouping.MASKED ? 4 : 1,
          "TN");
      assertAssembled(new GroupedGemm(problem, grouping, 4).prepare());
      var odd = GemmProblem.packed(operand, ElementType.BF16, 4096, 4099, 4099, problem.batch(), "TN");
      assertAssembled(new GroupedGemm(odd, grouping, 4).prepare());
    }
  }

  @ParameterizedTest
  @CsvSource({"BF16, BF16, TN, 8192, SWISH", "BF16, BF16, NT, 512, GELU_TANH", "E4M3, F32, TN, 4096, GELU_ERF"})
  void productsThatShareAAreAssembledWithoutSpillsAndWarnings(ElementType operand, ElementType output, String order,
      int m, Pointwise activation) {
    assertAssembled(DualGemm.packed(GemmProblem.packed(operand, output, m, 4096, 4096, 1, order), activation)
        .prepare());
  }

  /** Plain, with a bias and an activation, with a matrix that is read, and in rows that threads store. */
  @ParameterizedTest
  @CsvSource({"BF16, PLAIN, 4096", "BF16, BIAS_SILU, 4096", "BF16, BIAS_RESIDUAL, 4096", "E4M3, PLAIN, 4099"})
  void codesOfCAreAssembledWithoutSpillsAndWarnings(ElementType operand, StandardEpilogue epilogue, int n) {
    var problem = GemmProblem.packed(operand, ElementType.E4M3, 4096, n, 4096, 1, "TN");
    var tree = epilogue.tree(ElementType.BF16).unrounded().quantize("factors");
    assertAssembled(Sm90Gemms.prepare(problem, EpilogueArguments.packed(tree, problem)));
    if (epilogue == StandardEpilogue.PLAIN) {
      assertAssembled(GroupedGemm.packed(problem, Grouping.CONTIGUOUS, 4, tree).prepare());
      var gated = DualGemm.gated(Pointwise.SWISH, ElementType.E4M3).unrounded().quantize("factors");
      assertAssembled(DualGemm.packed(problem, EpilogueArguments.packed(gated, problem)).prepare());
    }
  }

  @ParameterizedTest
  @CsvSource({"MASKED, BIAS_SILU", "RAGGED, BIAS_RESIDUAL"})
  void epiloguesOfGroupsAreAssembledWithoutSpillsAndWarnings(Grouping grouping, StandardEpilogue epilogue) {
    var problem = GemmProblem.packed(ElementType.BF16, ElementType.BF16, 4096, 4096, 4096,
        grouping == Grouping.MASKED ? 4 : 1, "TN");
    assertAssembled(GroupedGemm.packed(problem, grouping, 4, epilogue.tree(problem.output())).prepare());
  }

  @ParameterizedTest
  @CsvSource({"E4M3, BF16", "E5M2, F16", "I4, BF16"})
  void mixedOperandsAreAssembledWithoutSpillsAndWarnings(ElementType weights, ElementType activations) {
    var types = new GemmTypes(weights, activations, activations, Accumulation.SCALED);
    assertAssembled(MixedGemm.packed(GemmProblem.packed(types, 4096, 4096, 4096, 1, "TN")).prepare());
  }

  /** Every tile in bf16, and the largest ones in other types and with B along n. */
  static List<Arguments> sparse() {
    var large = List.of("128x128x1-in-turn", "128x256x2", "256x192x2-beside2");
    var all = SparseGemm.tiles().stream().map(tile -> Arguments.of(BF16, "TN", tile));
    var others = Stream.of(GemmTypes.of(ElementType.F16, ElementType.F16).summedIn(ElementType.F16),
        GemmTypes.of(ElementType.TF32, ElementType.F32), GemmTypes.of(ElementType.E4M3, ElementType.BF16),
        GemmTypes.of(ElementType.I8, ElementType.I32)).flatMap(types -> large.stream()
        .map(tile -> Arguments.of(types, "TN", tile)));
    var exact = new GemmTypes(ElementType.E4M3, ElementType.E5M2, ElementType.BF16, Accumulation.EXACT);
    var promoted = Stream.of("128x256x2", "256x128x1-beside2").map(tile -> Arguments.of(exact, "TN", tile));
    var alongN = large.stream().map(tile -> Arguments.of(BF16, "TT", tile));
    return LongSuite.of(Stream.of(all, others, promoted, alongN).flatMap(s -> s).toList());
  }

  @ParameterizedTest(name = "{0}, {1}, {2}")
  @MethodSource("sparse")
  void sparseOperandsAreAssembledWithoutSpillsAndWarnings(GemmTypes types, String order, String tile) {
    var gemm = SparseGemm.packed(SparseGemm.problem(types, 4096, 4096, 4096, 1, order));
    assertAssembled(gemm.prepare(gemm.configure(tile)));
  }

  @ParameterizedTest
  @CsvSource({"BIAS_SILU, 4096", "BIAS_RESIDUAL, 4096", "BIAS_GELU, 4099"})
  void epiloguesOfSparseOperandsAreAssembledWithoutSpillsAndWarnings(StandardEpilogue epilogue, int n) {
    var problem = SparseGemm.problem(BF16, 4096, n, 4096, 1, "TN");
    assertAssembled(SparseGemm.packed(problem, EpilogueArguments.packed(epilogue.tree(ElementType.BF16), problem))
        .prepare());
  }

  @ParameterizedTest
  @CsvSource({"BF16, BF16, 16384", "F16, F32, 4096", "E4M3, BF16, 4096", "TF32, F32, 4096", "I8, I32, 4096",
      "I8, BF16, 4096", "BF16, BF16, 16"})
  void rowsThatThreadsStoreAreAssembledWithoutSpillsAndWarnings(ElementType operand, ElementType output, int m) {
    assertAssembled(Sm90Gemms.prepare(GemmProblem.packed(operand, output, m, 4099, 4096, 1, "TN")));
  }

  @ParameterizedTest
  @CsvSource({"E4M3, BF16, FAST, TN", "E5M2, F32, EXACT, NT", "TF32, F32, FAST, NN", "I8, I32, FAST, TT"})
  void operandsThatThreadsFetchAreAssembledWithoutSpillsAndWarnings(ElementType operand, ElementType output,
      Accumulation accumulation, String order) {
    assertAssembled(Sm90Gemms.prepare(GemmProblem.packed(new GemmTypes(operand, operand, output, accumulation), 4096,
        4096, 4099, 1, order)));
  }

  /** By copies, and element by element where rows of C are no multiples of 16 bytes. */
  @ParameterizedTest
  @CsvSource({"128x208x1-transposed, 4096", "128x208x1-transposed, 4100", "192x176x1-transposed, 4096",
      "192x176x1-transposed, 4097", "256x176x1-beside2-transposed, 4096", "256x192x1-beside2-transposed, 4096",
      "64x128x4-transposed-shared-tail, 4096", "64x128x4-transposed-shared-tail, 4097",
      "64x192x4-transposed-shared-tail, 4096", "64x104x2-split4-transposed, 4096", "64x224x1-split2-transposed, 4096"})
  void matricesReadAcrossAreAssembledWithoutSpillsAndWarnings(String tile, int n) {
    var problem = GemmProblem.packed(ElementType.BF16, ElementType.BF16, 4096, n, 4096, 1, "TN").scaled(1, 1);
    assertAssembled(Sm90Gemms.prepare(problem, Sm90Gemms.configure(problem, tile)));
  }

  /** More tiles than SMs, so that those of few columns share one in twos. */
  @ParameterizedTest
  @CsvSource({"144", "160", "192"})
  void tilesThatCouldShareAMultiprocessorAreAssembledWithoutSpillsAndWarnings(int columns) {
    var problem = GemmProblem.packed(ElementType.BF16, ElementType.BF16, 1288, 2056, 1416, 1, "TN");
    var config = Sm90Gemms.configure(problem, "64x" + columns + "x1-transposed");
    assertAssembled(Sm90Gemms.prepare(problem, config));
  }

  @ParameterizedTest
  @CsvSource({"1, 4096", "16, 4096", "64, 4096", "8, 14336", "32, 14336"})
  void weightsAheadAreAssembledWithoutSpillsAndWarnings(int m, int n) {
    var problem = GemmProblem.packed(ElementType.BF16, ElementType.BF16, m, n, 4096, 1, "TN");
    assertAssembled(Sm90Gemms.prepare(problem, Sm90Gemms.configureWeightsAhead(problem)));
  }

  private static void assertAssembled(PreparedLaunch launch) {
    switch (ASSEMBLER.assemble(launch.kernel().ptx(), "sm_90a")) {
      case Assembly.Assembled assembled -> {
        assertEquals(List.of(), assembled.warnings());
        assertEquals(List.of(0), assembled.resources().stream().map(Assembly.Resources::spillStoreBytes).toList());
      }
      case Assembly.Rejected rejected -> fail(rejected.log());
      case Assembly.Unavailable missing -> abort(missing.reason());
    }
  }
}
