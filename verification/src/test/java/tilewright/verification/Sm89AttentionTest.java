package tilewright.verification;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assertions.fail;
import static org.junit.jupiter.api.Assumptions.abort;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import tilewright.device.assembly.Assembler;
import tilewright.device.assembly.Assembly;
import tilewright.kernel.CompiledKernel;
import tilewright.kernel.Target;
import tilewright.kernel.collective.attention.Band;
import tilewright.kernels.attention.AttentionProblem;
import tilewright.kernels.attention.AttentionProblem.Packed;
import tilewright.kernels.attention.AttentionProblem.Quantized;
import tilewright.kernels.attention.AttentionProblem.Sizes;
import tilewright.kernels.attention.AttentionProblem.View;
import tilewright.kernels.attention.Sm89AttentionKernel;
import tilewright.kernels.library.AttentionKernels;
import tilewright.numerics.ElementType;
import tilewright.reference.AttentionFactors.TensorCores;
import tilewright.verification.backend.SimulatorBackend;
import tilewright.verification.cases.AttentionCases;
import tilewright.verification.cases.AttentionCheck;
import tilewright.verification.cases.AttentionMods;
import tilewright.verification.cases.QuantizedAttention;

/** Attention of e4m3 operands by {@code mma}: on the tensor cores of SM120, assembled, and what it refuses. */
class Sm89AttentionTest {
  private static final Sm89AttentionKernel KERNEL = new Sm89AttentionKernel();
  private static final Assembler ASSEMBLER = Assembler.find();
  private static final long SEED = 5;
  /** The shared memory of a CTA on SM89 and SM120. */
  private static final int BLOCK_BYTES = 99 << 10;

  @TestFactory
  Stream<DynamicTest> passesOnTheTensorCoresOfSm120() {
    var setups = QuantizedAttention.small().stream().filter(setup -> KERNEL.refusal(setup.problem()).isEmpty());
    return LongSuite.of(setups.toList()).stream()
        .map(setup -> DynamicTest.dynamicTest(setup.toString(), () -> {
          var buffers = AttentionCases.buffers(KERNEL, setup, SEED);
          var outcome = new SimulatorBackend(SEED).run(KERNEL.prepare(setup.problem(), Target.SM120).on(buffers));
          assertEquals(List.of(), outcome.findings());
          assertEquals(Optional.empty(), AttentionCheck.compare(setup.problem(), setup.rules(), buffers, buffers,
              TensorCores.SM100).violation());
        }));
  }

  @TestFactory
  Stream<DynamicTest> noRegistersAreSpilledAndTilesFit() {
    // In this order a sample has the largest tiles of each band.
    var tests = Stream.of(128, 64, 96, 32, 192, 256).flatMap(dim -> Stream.of(Band.ALL, Band.CAUSAL,
        Band.window(512, 0)).map(band -> DynamicTest.dynamicTest("head dimension " + dim + ", " + band, () -> {
          for (var problem : problems(dim, band)) {
            var kernel = KERNEL.prepare(problem).kernel();
            assertTrue(kernel.dynamicSharedBytes() <= BLOCK_BYTES, () -> kernel.dynamicSharedBytes() + " bytes");
            for (var target : List.of("sm_89", "sm_120")) assertSpillsNothing(kernel, target);
          }
        }))).toList();
    return LongSuite.of(tests).stream();
  }

  private static List<AttentionProblem> problems(int dim, Band band) {
    var sizes = Sizes.of(1, 4096, 4096, 2048 / dim, dim);
    var perHead = AttentionProblem.dense(Quantized.perHead(ElementType.BF16, sizes), sizes).with(band);
    var all = new ArrayList<>(List.of(perHead,
        AttentionProblem.dense(Quantized.perBlock(ElementType.F16, sizes, 128, 128), sizes).with(band),
        perHead.with(new Packed("cuQ", "cuK", 4, 2048))));
    if (band.isAll()) {
      for (var setup : LongSuite.of(AttentionMods.setups())) {
        var changed = setup.problem();
        all.add(changed.blockMask() ? perHead.with(changed.modification()).skipping()
            : perHead.with(changed.modification()));
      }
    }
    return all;
  }

  private static void assertSpillsNothing(CompiledKernel kernel, String target) {
    switch (ASSEMBLER.assemble(kernel.ptx(), target)) {
      case Assembly.Assembled assembled -> {
        assertEquals(List.of(), assembled.warnings());
        assertEquals(0, assembled.resources().getFirst().spillStoreBytes(), target);
      }
      case Assembly.Rejected rejected -> fail(rejected.log());
      case Assembly.Unavailable missing -> abort(missing.reason());
    }
  }

  /** The largest head dimension first, whose accumulators leave the fewest registers. */
  @TestFactory
  Stream<DynamicTest> noRegistersAreSpilledWhereOperandsAreConverted() {
    var bands = List.of(Band.window(512, 0), Band.ALL, Band.CAUSAL);
    var tests = Stream.of(256, 192, 64, 128, 96, 32).flatMap(dim -> bands.stream()
        .flatMap(band -> problems(dim, band).stream().map(problem -> DynamicTest.dynamicTest(
            "head dimension " + dim + ", " + band, () -> {
              for (int capability : LongSuite.EVERY_CASE ? List.of(90, 100, 103) : List.of(90, 100)) {
                assertSpillsNothing(KERNEL.on(capability).prepare(problem).kernel(), "sm_" + capability);
              }
            })))).toList();
    return LongSuite.EVERY_CASE ? tests.stream() : tests.stream().limit(2);
  }

  /** Products of f16 keep more bits than those of bytes. */
  @TestFactory
  Stream<DynamicTest> passesWhereOperandsAreConverted() {
    var converting = KERNEL.on(90);
    var setups = QuantizedAttention.small().stream().filter(setup -> converting.refusal(setup.problem()).isEmpty());
    return LongSuite.of(setups.toList()).stream().map(setup -> DynamicTest.dynamicTest(setup.toString(), () -> {
      var buffers = AttentionCases.buffers(converting, setup, SEED);
      var outcome = new SimulatorBackend(SEED).run(converting.prepare(setup.problem()).on(buffers));
      assertEquals(List.of(), outcome.findings());
      assertEquals(Optional.empty(), AttentionCheck.compare(setup.problem(), setup.rules(), buffers, buffers,
          TensorCores.FP32).violation());
    }));
  }

  private static AttentionProblem problem(int dim, int factorRows) {
    var sizes = Sizes.of(1, 70, 140, 1, dim);
    return AttentionProblem.dense(Quantized.perBlock(ElementType.BF16, sizes, 128, factorRows), sizes);
  }

  @Test
  void saysWhyItRefuses() {
    assertEquals(Optional.of("bf16 operands need another kernel"),
        KERNEL.refusal(AttentionProblem.dense(ElementType.BF16, Sizes.of(1, 8, 8, 1, 64))));
    assertEquals(Optional.of("head dimension 272 is more than 256"), KERNEL.refusal(problem(272, 128)));
    assertEquals(Optional.of("factors of 96 rows of K and 96 of V: multiples of 64"),
        KERNEL.refusal(problem(64, 96)));
    var unaligned = Optional.of("head dimensions, strides and offsets are not multiples of 16 bytes");
    assertEquals(unaligned, KERNEL.refusal(problem(72, 128)));
    var p = problem(64, 128);
    assertEquals(unaligned, KERNEL.refusal(p.at(p.q(), p.k(), p.v(), View.bshd("O", 70, 1, 68))));
    assertEquals(Optional.empty(), KERNEL.refusal(p));
  }

  @Test
  void isChosenForBytesFromSm89On() {
    assertTrue(AttentionKernels.builtIn().of(80).stream().noneMatch(k -> k.name().equals("sm89_attention")));
    for (int capability : List.of(89, 120)) {
      var chosen = AttentionKernels.builtIn().of(capability).stream()
          .filter(k -> k.refusal(problem(64, 128)).isEmpty()).findFirst();
      assertEquals("sm89_attention", chosen.orElseThrow().name());
    }
  }
}
