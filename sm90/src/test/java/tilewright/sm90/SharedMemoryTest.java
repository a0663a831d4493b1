package tilewright.sm90;

import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import tilewright.kernel.Chip;
import tilewright.kernel.PreparedLaunch;
import tilewright.kernels.Accumulation;
import tilewright.kernels.GemmProblem;
import tilewright.kernels.GemmTypes;
import tilewright.kernels.Pointwise;
import tilewright.kernels.epilogue.EpilogueArguments;
import tilewright.kernels.epilogue.StandardEpilogue;
import tilewright.numerics.ElementType;
import tilewright.ptx.Multiprocessor;

/** The shared memory of a launch, against what its CTAs can have while as many as it counts on share an SM. */
class SharedMemoryTest {
  private static final GemmTypes BF16 = GemmTypes.of(ElementType.BF16, ElementType.BF16);

  private static void assertFits(PreparedLaunch launch, int resident) {
    int held = Chip.H200.multiprocessor().sharedBytes() / resident - Multiprocessor.RESERVED_BYTES;
    int bytes = launch.kernel().dynamicSharedBytes();
    assertTrue(bytes <= held, () -> launch.kernel().name() + " asks for " + bytes + " bytes of " + held);
  }

  static List<GemmTypes> scaled() {
    return Stream.of(ElementType.E4M3, ElementType.E5M2).flatMap(operand ->
        Stream.of(ElementType.BF16, ElementType.F16, ElementType.F32)
            .map(output -> new GemmTypes(operand, operand, output, Accumulation.SCALED))).toList();
  }

  @ParameterizedTest
  @MethodSource("scaled")
  void scalesAreCountedBesideTheStagesOfC(GemmTypes types) {
    for (int beta : new int[] {0, 1}) {
      var problem = GemmProblem.packed(types, 4096, 4096, 4096, 1, "TN").scaled(1, beta);
      for (var tile : Sm90Gemms.tiles(problem)) {
        assertFits(ScaledGemm.packed(problem).prepare(Sm90Gemms.configure(problem, tile)), 1);
      }
      for (int n : new int[] {16, 9344, 4099}) {
        assertFits(ScaledGemm.packed(GemmProblem.packed(types, 5888, n, 13056, 1, "TN").scaled(1, beta)).prepare(), 1);
      }
    }
  }

  /** Nothing, a matrix that is read, and one that is written. */
  @ParameterizedTest
  @EnumSource(names = {"PLAIN", "BETA", "BIAS_GELU_AUX"})
  void everyTileFits(StandardEpilogue epilogue) {
    var exact = new GemmTypes(ElementType.E4M3, ElementType.E4M3, ElementType.BF16, Accumulation.EXACT);
    for (var types : List.of(BF16, exact)) {
      var problem = GemmProblem.packed(types, 4096, 4096, 4096, 1, "TN");
      var arguments = EpilogueArguments.packed(epilogue.tree(types.output()), problem);
      for (var tile : Sm90Gemms.tiles(problem)) {
        var config = Sm90Gemms.configure(problem, tile);
        assertFits(Sm90Gemms.prepare(problem, config, arguments), config.resident());
      }
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {4096, 4099})
  void codesAndTheirFactorsFit(int n) {
    for (var operand : List.of(ElementType.BF16, ElementType.E4M3)) {
      var problem = GemmProblem.packed(operand, ElementType.E4M3, 4096, n, 4096, 1, "TN");
      for (var epilogue : List.of(StandardEpilogue.PLAIN, StandardEpilogue.BIAS_RESIDUAL)) {
        var tree = epilogue.tree(ElementType.BF16).unrounded().quantize("factors");
        assertFits(Sm90Gemms.prepare(problem, EpilogueArguments.packed(tree, problem)), 1);
        assertFits(GroupedGemm.packed(problem, Grouping.CONTIGUOUS, 4, tree).prepare(), 1);
      }
      var gated = DualGemm.gated(Pointwise.SWISH, ElementType.E4M3).unrounded().quantize("factors");
      assertFits(DualGemm.packed(problem, EpilogueArguments.packed(gated, problem)).prepare(), 1);
    }
  }

  @ParameterizedTest
  @EnumSource(names = {"CONTIGUOUS", "MASKED", "RAGGED"})
  void groupsFit(Grouping grouping) {
    for (var epilogue : List.of(StandardEpilogue.PLAIN, StandardEpilogue.BIAS_RESIDUAL)) {
      for (var output : List.of(ElementType.BF16, ElementType.F32)) {
        for (int n : new int[] {4096, 4099}) {
          var problem = GemmProblem.packed(ElementType.E4M3, output, 4096, n, 4096,
              grouping == Grouping.MASKED ? 4 : 1, "TN");
          assertFits(GroupedGemm.packed(problem, grouping, 4, epilogue.tree(output)).prepare(), 1);
        }
      }
    }
  }

  @ParameterizedTest
  @CsvSource({"BF16, BF16", "E4M3, F32", "TF32, F32"})
  void twoProductsFit(ElementType operand, ElementType output) {
    for (int m : new int[] {64, 1024, 8192}) {
      for (int n : new int[] {4096, 4099}) {
        var problem = GemmProblem.packed(operand, output, m, n, 4096, 1, "TN");
        assertFits(DualGemm.packed(problem, Pointwise.SWISH).prepare(), 1);
      }
    }
  }

  @ParameterizedTest
  @EnumSource(names = {"PLAIN", "BETA", "BIAS_GELU_AUX"})
  void everyTileOfASparseProductFits(StandardEpilogue epilogue) {
    for (var types : List.of(BF16, GemmTypes.of(ElementType.I8, ElementType.BF16))) {
      var problem = SparseGemm.problem(types, 4096, 4096, 4096, 1, "TN");
      var gemm = SparseGemm.packed(problem, EpilogueArguments.packed(epilogue.tree(types.output()), problem));
      for (var tile : SparseGemm.tiles()) assertFits(gemm.prepare(gemm.configure(tile)), 1);
    }
  }

  @ParameterizedTest
  @CsvSource({"E4M3, BF16", "E5M2, F16", "I4, BF16"})
  void narrowWeightsFit(ElementType weights, ElementType activations) {
    for (var output : List.of(activations, ElementType.F32)) {
      var types = new GemmTypes(weights, activations, output, Accumulation.SCALED);
      for (int m : new int[] {512, 14336}) {
        for (int n : new int[] {8, 32, 64, 128, 4096}) {
          assertFits(MixedGemm.packed(GemmProblem.packed(types, m, n, 4096, 1, "TN")).prepare(), 1);
        }
      }
    }
  }
}
