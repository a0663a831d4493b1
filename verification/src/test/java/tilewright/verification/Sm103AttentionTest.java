package tilewright.verification;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assertions.fail;
import static org.junit.jupiter.api.Assumptions.abort;

import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import tilewright.device.assembly.Assembler;
import tilewright.device.assembly.Assembly;
import tilewright.kernel.collective.attention.Band;
import tilewright.kernels.attention.AttentionProblem;
import tilewright.kernels.attention.AttentionProblem.Packed;
import tilewright.kernels.attention.AttentionProblem.Quantized;
import tilewright.kernels.attention.AttentionProblem.Sizes;
import tilewright.kernels.library.AttentionKernels;
import tilewright.numerics.ElementType;
import tilewright.sm100.attention.Mxf8Scales;
import tilewright.sm100.attention.Sm100AttentionKernel;
import tilewright.verification.backend.SimulatorBackend;
import tilewright.verification.cases.AttentionCases;
import tilewright.verification.cases.AttentionCheck;
import tilewright.verification.cases.AttentionMods;
import tilewright.verification.cases.Mxf8Attention;
import tilewright.verification.cases.QuantizedAttention;

/** Blackwell attention on B300, where loads from Tensor Memory find the largest score of a row. */
class Sm103AttentionTest {
  private static final Sm100AttentionKernel KERNEL = new Sm100AttentionKernel().on(103);
  private static final Assembler ASSEMBLER = Assembler.find();
  private static final long SEED = 5;

  static List<AttentionCases.Setup> setups() {
    var plain = Stream.of(Band.ALL, Band.CAUSAL, Band.window(150, 20)).flatMap(band -> Stream.of(64, 128).map(dim ->
        AttentionCases.band(ElementType.BF16, new Sizes(1, 200, 300, 2, 1, dim, dim), band)));
    var functions = AttentionMods.setups().stream();
    var narrow = AttentionCases.band(ElementType.F16, Sizes.of(1, 140, 290, 1, 128), Band.ALL);
    return LongSuite.of(Stream.of(plain, functions, Stream.of(Mxf8Attention.scaled(narrow),
        QuantizedAttention.quantized(narrow, Quantized.perHead(ElementType.F16, narrow.problem().sizes()))))
        .flatMap(all -> all).toList());
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("setups")
  void passesWithoutFindings(AttentionCases.Setup setup) {
    var buffers = AttentionCases.buffers(KERNEL, setup, SEED);
    var launch = KERNEL.prepare(setup.problem());
    var outcome = new SimulatorBackend(SEED).run(launch.on(buffers));
    assertEquals(List.of(), outcome.findings());
    assertEquals(Optional.empty(), AttentionCheck.compare(setup.problem(), setup.rules(), buffers, buffers,
        AttentionCases.tensorCores(KERNEL)).violation());
    var mod = setup.problem().modification();
    boolean changed = mod.score().isPresent() || mod.mask().isPresent() && !setup.problem().blockMask();
    assertEquals(!changed, launch.kernel().ptx().contains("tcgen05.ld.red"), "loads that reduce");
  }

  static Stream<AttentionProblem> problems() {
    return LongSuite.of(Stream.of(64, 96, 128, 192).flatMap(dim -> {
      var s = new Sizes(1, 4096, 4096, 2, 1, dim, Math.min(dim, 128));
      var dense = AttentionProblem.dense(ElementType.BF16, s);
      return Stream.of(dense, AttentionProblem.dense(Quantized.perHead(ElementType.BF16, s), s),
          AttentionProblem.dense(Mxf8Scales.of(ElementType.BF16, s), s), dense.with(new Packed("cuQ", "cuK", 4, 2048)))
          .flatMap(p -> Stream.of(p, p.with(Band.CAUSAL), p.with(Band.window(512, 0))));
    }).toList()).stream();
  }

  @ParameterizedTest
  @MethodSource("problems")
  void isAssembledWithoutSpillsAndWarnings(AttentionProblem problem) {
    switch (ASSEMBLER.assemble(KERNEL.prepare(problem).kernel().ptx(), "sm_103a")) {
      case Assembly.Assembled assembled -> {
        assertEquals(List.of(), assembled.warnings());
        assertEquals(List.of(0), assembled.resources().stream().map(Assembly.Resources::spillStoreBytes).toList());
      }
      case Assembly.Rejected rejected -> fail(rejected.log());
      case Assembly.Unavailable missing -> abort(missing.reason());
    }
  }

  /** A B200 has no such loads. */
  @Test
  void isForB300Alone() {
    var problem = AttentionProblem.dense(ElementType.BF16, Sizes.of(1, 300, 300, 1, 64));
    for (int capability : new int[] {100, 103}) {
      var kernel = AttentionKernels.builtIn().of(capability).getFirst();
      assertEquals("sm100_attention", kernel.name());
      var ptx = kernel.prepare(problem).kernel().ptx();
      assertEquals(capability == 103, ptx.contains("tcgen05.ld.red"));
      assertTrue(ptx.contains(".target sm_" + capability + "a"));
    }
  }
}
