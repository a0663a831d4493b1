package tilewright.verification;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.fail;
import static org.junit.jupiter.api.Assumptions.abort;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import tilewright.device.assembly.Assembler;
import tilewright.device.assembly.Assembly;
import tilewright.kernel.collective.attention.Band;
import tilewright.kernel.collective.attention.CapturedTensor;
import tilewright.kernel.collective.attention.Modification;
import tilewright.kernel.collective.attention.ScoreMod;
import tilewright.kernel.collective.attention.Scores;
import tilewright.kernels.attention.Attention;
import tilewright.kernels.attention.AttentionBackwardKernel;
import tilewright.kernels.attention.AttentionBackwardProblem;
import tilewright.kernels.attention.AttentionProblem.Packed;
import tilewright.kernels.attention.AttentionProblem.Sizes;
import tilewright.kernels.attention.AttentionProblem;
import tilewright.numerics.ElementType;
import tilewright.sm100.attention.backward.Sm100AttentionBackwardKernel;
import tilewright.verification.cases.AttentionMods;

/** Assembles Blackwell's gradients of attention: without warnings and without spills. */
class Sm100AttentionBackwardAssemblyTest {
  private static final Assembler ASSEMBLER = Assembler.find();
  private static final Map<String, Assembly> ASSEMBLED = new HashMap<>();
  private static final AttentionBackwardKernel KERNEL = new Sm100AttentionBackwardKernel();
  private static final List<Sizes> DIMS = Stream.of(new int[] {64, 64}, new int[] {128, 128}, new int[] {192, 128})
      .map(d -> new Sizes(1, 4096, 4096, 2, 1, d[0], d[1])).toList();

  static List<Arguments> problems() {
    return LongSuite.of(DIMS.stream()
        .flatMap(dims -> Stream.of(bands(dims), functions(dims), captured(dims)).flatMap(forms -> forms))
        .filter(arguments -> KERNEL.refusal((AttentionBackwardProblem) arguments.get()[2]).isEmpty()).toList());
  }

  private static Stream<Arguments> bands(Sizes dims) {
    var softcap = new Modification(Optional.of(ScoreMod.softcap(30)), Optional.empty());
    return Stream.of(Band.ALL, Band.CAUSAL, Band.window(512, 0)).flatMap(band -> {
      var plain = AttentionProblem.dense(ElementType.BF16, dims).with(band);
      return Stream.of(plain, plain.with(softcap)).flatMap(dense -> Stream.of(false, true).flatMap(deterministic -> {
        var name = "band " + band.left() + band.right() + (dense == plain ? "" : " softcap")
            + (deterministic ? " deterministic" : "");
        return Stream.of(Arguments.of(dims.headDim(), name, gradients(dense, deterministic)),
            Arguments.of(dims.headDim(), name + " packed",
                gradients(dense.with(new Packed("cuQ", "cuK", 4, 2048)), deterministic)));
      }));
    });
  }

  private static Stream<Arguments> functions(Sizes dims) {
    return AttentionMods.setups().stream().filter(setup -> !setup.problem().blockMask()).map(setup ->
        Arguments.of(dims.headDim(), setup.name(), gradients(AttentionProblem.dense(ElementType.F16, dims)
            .with(setup.problem().band()).with(setup.problem().modification()), false)));
  }

  private static Stream<Arguments> captured(Sizes dims) {
    var slopes = CapturedTensor.of("slopes", ElementType.F32, 1);
    var table = CapturedTensor.of("table", ElementType.F32, 2);
    return Stream.of(
        Arguments.of(dims.headDim(), "gradients of slopes", Attention.forward(ElementType.BF16, dims).causal()
            .score(Scores.alibi(slopes)).capture(slopes, dims.heads()).backward().gradientOf(slopes).problem()),
        Arguments.of(dims.headDim(), "gradients of a table", Attention.forward(ElementType.BF16, dims)
            .score(Scores.relative(table, dims.queries()))
            .capture(table, dims.heads(), dims.queries() + dims.keys() - 1L).backward().gradientOf(table).problem()));
  }

  private static AttentionBackwardProblem gradients(AttentionProblem forward, boolean deterministic) {
    return AttentionBackwardProblem.dense(forward).deterministic(deterministic);
  }

  @ParameterizedTest(name = "{0} wide, {1}")
  @MethodSource("problems")
  void isAssembledWithoutWarningsAndSpills(int dim, String name, AttentionBackwardProblem problem) {
    for (var launch : KERNEL.prepare(problem).launches()) {
      // Many problems have the kernels before and behind in common.
      switch (ASSEMBLED.computeIfAbsent(launch.kernel().ptx(), ptx -> ASSEMBLER.assemble(ptx, "sm_100a"))) {
        case Assembly.Assembled assembled -> {
          assertEquals(List.of(), assembled.warnings());
          assertEquals(0, assembled.resources().stream().mapToInt(Assembly.Resources::spillStoreBytes).sum(),
              "bytes are spilled");
        }
        case Assembly.Rejected rejected -> fail(rejected.log());
        case Assembly.Unavailable missing -> abort(missing.reason());
      }
    }
  }
}
