package tilewright.verification;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.fail;
import static org.junit.jupiter.api.Assumptions.abort;

import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import tilewright.device.assembly.Assembler;
import tilewright.device.assembly.Assembly;
import tilewright.kernel.CompiledKernel;
import tilewright.kernel.collective.attention.Band;
import tilewright.kernel.collective.attention.CapturedTensor;
import tilewright.kernel.collective.attention.MaskMod;
import tilewright.kernel.collective.attention.Modification;
import tilewright.kernel.collective.attention.ScoreMod;
import tilewright.kernels.attention.Attention;
import tilewright.kernels.attention.AttentionProblem.Factors;
import tilewright.kernels.attention.AttentionProblem.Packed;
import tilewright.kernels.attention.AttentionProblem.Quantized;
import tilewright.kernels.attention.AttentionProblem.Sizes;
import tilewright.kernels.attention.AttentionProblem;
import tilewright.numerics.ElementType;
import tilewright.sm100.attention.Mxf8Scales;
import tilewright.sm100.attention.Sm100AttentionKernel;
import tilewright.verification.cases.AttentionCases;
import tilewright.verification.cases.AttentionMods;

/** Assembles Blackwell attention: without spills, and without warnings. */
class Sm100AttentionAssemblyTest {
  private static final Assembler ASSEMBLER = Assembler.find();
  private static final List<Sizes> DIMS = Stream.of(new int[] {64, 64}, new int[] {96, 96}, new int[] {128, 128},
      new int[] {192, 128}).map(d -> new Sizes(1, 4096, 4096, 2, 1, d[0], d[1])).toList();

  static List<Arguments> problems() {
    return LongSuite.of(DIMS.stream().flatMap(dims -> Stream.concat(bands(dims), functions(dims))).toList());
  }

  private static Stream<Arguments> bands(Sizes dims) {
    return Stream.of(Band.ALL, Band.CAUSAL, Band.window(512, 0)).flatMap(band -> {
      var dense = AttentionProblem.dense(ElementType.BF16, dims).with(band);
      var name = "band " + band.left() + band.right();
      return Stream.of(Arguments.of(dims.headDim(), name, dense), Arguments.of(dims.headDim(), name + " packed",
          dense.with(new Packed("cuQ", "cuK", 4, 2048))));
    });
  }

  private static Stream<Arguments> functions(Sizes dims) {
    var plain = AttentionProblem.dense(ElementType.F16, dims);
    ScoreMod softcap = ScoreMod.softcap(30);
    MaskMod causal = (_, _, q, k) -> k.lessThan(q.plus(1));
    ScoreMod alibi = (score, _, h, q, k) -> k.minus(q).toF32().fma(h.plus(1).toF32().times(-4).exp2(), score);
    var masked = Stream.of(alibi, softcap).map(score -> Arguments.of(dims.headDim(), "a function behind a mask",
        plain.with(new Modification(Optional.of(score), Optional.of(causal)))));
    return Stream.concat(masked, AttentionMods.setups().stream().map(setup -> {
      var problem = plain.with(setup.problem().modification());
      return Arguments.of(dims.headDim(), setup.name(), setup.problem().blockMask() ? problem.skipping() : problem);
    }));
  }

  @ParameterizedTest(name = "{0} wide, {1}")
  @MethodSource("problems")
  void isAssembledWithoutSpillsAndWarnings(int dim, String name, AttentionProblem problem) {
    assemble(new Sm100AttentionKernel().prepare(problem).kernel());
  }

  /** In the number of registers that other lists of blocks have, ptxas spills 112 bytes of this form. */
  @Test
  void listsForAMaskInAWindowSpillNothing() {
    MaskMod document = (_, _, q, k) -> k.lessThan(q.plus(1)).and(q.dividedBy(500).equalTo(k.dividedBy(500)));
    var problem = AttentionProblem.dense(ElementType.BF16, DIMS.get(1)).with(Band.window(512, 0))
        .with(new Modification(Optional.empty(), Optional.of(document)));
    assemble(new Sm100AttentionKernel().prepare(problem.skipping()).kernel());
  }

  /** Factors for a head, then for blocks of keys, of 64 for which blocks are smaller. A sample has one of 16. */
  static List<Arguments> quantized() {
    return LongSuite.of(LongSuite.of(DIMS.stream().flatMap(s -> Stream.of(Quantized.perHead(ElementType.BF16, s),
        Quantized.perBlock(ElementType.F16, s, 128, 128), Quantized.perBlock(ElementType.BF16, s, 16, 64))
        .flatMap(quantized -> forms(AttentionProblem.dense(quantized, s)))
        .map(problem -> Arguments.of(s.headDim(), problem.quantized().orElseThrow().k().rows(), problem))).toList()));
  }

  /** Bands, and functions of scores. */
  private static Stream<AttentionProblem> plainForms(AttentionProblem p) {
    var bands = Stream.of(Band.ALL, Band.CAUSAL, Band.window(512, 0)).map(p::with);
    return Stream.concat(bands, AttentionMods.setups().stream().map(AttentionCases.Setup::problem)
        .map(setup -> setup.blockMask() ? p.with(setup.modification()).skipping() : p.with(setup.modification())));
  }

  private static Stream<AttentionProblem> forms(AttentionProblem p) {
    var packed = p.quantized().orElseThrow().k().rows() == Factors.WHOLE
        ? Stream.of(Band.ALL, Band.CAUSAL).map(band -> p.with(band).with(new Packed("cuQ", "cuK", 4, 2048)))
        : Stream.<AttentionProblem>empty();
    return Stream.concat(plainForms(p), packed);
  }

  @ParameterizedTest(name = "{0} wide, factors of {1} keys: {2}")
  @MethodSource("quantized")
  void assemblesEightBitOperandsWithoutSpillsAndWarnings(int dim, int keys, AttentionProblem problem) {
    assemble(new Sm100AttentionKernel().prepare(problem).kernel());
  }

  /** Operands with scales, in all forms. */
  static List<AttentionProblem> scaled() {
    return LongSuite.of(DIMS.stream().flatMap(s -> {
      var packed = AttentionProblem.dense(Mxf8Scales.ofPacked(ElementType.F16, s, 4), s)
          .with(new Packed("cuQ", "cuK", 4, 2048));
      return Stream.concat(Stream.of(packed, packed.with(Band.CAUSAL)),
          plainForms(AttentionProblem.dense(Mxf8Scales.of(ElementType.BF16, s), s)));
    }).toList());
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("scaled")
  void assemblesBlockScaledOperandsWithoutSpillsAndWarnings(AttentionProblem problem) {
    assemble(new Sm100AttentionKernel().prepare(problem).kernel());
  }

  /** In the registers that functions of other operands have, ptxas spills 68 bytes of this form. */
  @Test
  void functionsOfBlockScaledOperandsInAWindowSpillNothing() {
    var s = new Sizes(1, 2048, 2048, 8, 8, 128, 128);
    var bias = CapturedTensor.of("bias", ElementType.BF16, 3);
    var documents = CapturedTensor.of("documents", ElementType.I32, 2);
    var functions = Attention.forward(ElementType.BF16, s).score((score, _, h, q, k) -> score.plus(bias.at(h, q, k)))
        .capture(bias, 8, 2048, 2048)
        .mask((b, _, q, k) -> documents.integerAt(b, q).equalTo(documents.integerAt(b, k)))
        .capture(documents, 1, 2048).problem().modification();
    var problem = AttentionProblem.dense(Mxf8Scales.of(ElementType.BF16, s), s).with(functions);
    assemble(new Sm100AttentionKernel().prepare(problem.with(Band.window(512, 0))).kernel());
  }

  @ParameterizedTest(name = "{0}, {1}")
  @MethodSource("cancelsLaunchesWithoutSpillsAndWarnings")
  void cancelsLaunchesOfBlockScaledOperandsWithoutSpillsAndWarnings(Sizes dims, Band band) {
    var problem = AttentionProblem.dense(Mxf8Scales.of(ElementType.BF16, dims), dims).with(band);
    assemble(new Sm100AttentionKernel(true).prepare(problem).kernel());
  }

  @ParameterizedTest(name = "{0}, {1}")
  @MethodSource("cancelsLaunchesWithoutSpillsAndWarnings")
  void cancelsLaunchesOfEightBitOperandsWithoutSpillsAndWarnings(Sizes dims, Band band) {
    var problem = AttentionProblem.dense(Quantized.perBlock(ElementType.BF16, dims, 64, 64), dims).with(band);
    assemble(new Sm100AttentionKernel(true).prepare(problem).kernel());
  }

  @ParameterizedTest(name = "{0}, {1}")
  @MethodSource
  void cancelsLaunchesWithoutSpillsAndWarnings(Sizes dims, Band band) {
    var problem = AttentionProblem.dense(ElementType.BF16, dims).with(band);
    assemble(new Sm100AttentionKernel(true).prepare(problem).kernel());
  }

  static List<Arguments> cancelsLaunchesWithoutSpillsAndWarnings() {
    return LongSuite.of(DIMS.stream().flatMap(dims -> Stream.of(Band.ALL, Band.CAUSAL)
        .map(band -> Arguments.of(dims, band))).toList());
  }

  /** Lists of blocks and bounds, which roles keep beside the answers to cancelled launches. A sample has one of 16. */
  static List<AttentionProblem> cancelledLists() {
    return LongSuite.of(LongSuite.of(DIMS.reversed().stream().flatMap(dims -> {
      var plain = AttentionProblem.dense(ElementType.BF16, dims);
      var masks = AttentionMods.setups().stream().map(AttentionCases.Setup::problem)
          .filter(AttentionProblem::blockMask).map(setup -> plain.with(setup.modification()));
      var window = Band.window(512, 0);
      return Stream.concat(masks, Stream.of(plain)).flatMap(p -> Stream.of(p.with(Band.CAUSAL), p.with(window)))
          .flatMap(p -> Stream.of(p.with(new Packed("cuQ", "cuK", 4, 2048)), p))
          .flatMap(p -> p.modification().mask().isPresent() ? Stream.of(p.skipping()) : Stream.of(p, p.skipping()));
    }).toList()));
  }

  @ParameterizedTest
  @MethodSource("cancelledLists")
  void cancelsLaunchesThatSkipBlocksWithoutSpillsAndWarnings(AttentionProblem problem) {
    assemble(new Sm100AttentionKernel(true).prepare(problem).kernel());
  }

  private static void assemble(CompiledKernel kernel) {
    switch (ASSEMBLER.assemble(kernel.ptx(), "sm_100a")) {
      case Assembly.Assembled assembled -> {
        assertEquals(List.of(), assembled.warnings());
        assertEquals(List.of(0), assembled.resources().stream().map(Assembly.Resources::spillStoreBytes).toList());
      }
      case Assembly.Rejected rejected -> fail(rejected.log());
      case Assembly.Unavailable missing -> abort(missing.reason());
    }
  }
}
