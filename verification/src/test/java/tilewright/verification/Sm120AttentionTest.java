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
import tilewright.kernel.Chip;
import tilewright.kernel.collective.attention.Band;
import tilewright.kernels.attention.AttentionProblem;
import tilewright.kernels.attention.AttentionProblem.Factors;
import tilewright.kernels.attention.AttentionProblem.Packed;
import tilewright.kernels.attention.AttentionProblem.Quantized;
import tilewright.kernels.attention.AttentionProblem.Sizes;
import tilewright.kernels.attention.AttentionProblem.View;
import tilewright.kernels.library.AttentionKernels;
import tilewright.numerics.ElementType;
import tilewright.sm100.attention.Mxf8Scales;
import tilewright.sm120.Sm120AttentionKernel;
import tilewright.verification.backend.SimulatorBackend;
import tilewright.verification.cases.AttentionCases;
import tilewright.verification.cases.AttentionMods;

/** Attention of mxf8 operands by the {@code mma.sync} of SM120: beside FP64, assembled, and what it refuses. */
class Sm120AttentionTest {
  private static final Sm120AttentionKernel KERNEL = new Sm120AttentionKernel();
  private static final Assembler ASSEMBLER = Assembler.find();
  private static final long SEED = 5;

  @TestFactory
  Stream<DynamicTest> passesWithoutFindings() {
    return LongSuite.of(AttentionCases.sm120(SEED).stream().filter(c -> c.backends().contains("sim")).toList()).stream()
        .map(c -> DynamicTest.dynamicTest(c.config(), () -> {
          var row = Verification.verify(c, new SimulatorBackend(SEED));
          assertEquals(Row.Status.PASS, row.status(), row.reason());
          assertEquals(0, row.findings());
        }));
  }

  @TestFactory
  Stream<DynamicTest> noRegistersAreSpilledAndTilesFit() {
    // In this order a sample has the largest tiles of each band.
    var tests = Stream.of(128, 64, 96, 32, 192, 256).flatMap(dim -> Stream.of(Band.ALL, Band.CAUSAL,
        Band.window(512, 0)).map(band -> DynamicTest.dynamicTest("head dimension " + dim + ", " + band, () -> {
          for (var problem : problems(dim, band)) assertIsAssembledWell(problem);
        }))).toList();
    return LongSuite.of(tests).stream();
  }

  private static List<AttentionProblem> problems(int dim, Band band) {
    var sizes = Sizes.of(1, 4096, 4096, 2048 / dim, dim);
    var dense = AttentionProblem.dense(Mxf8Scales.of(ElementType.BF16, sizes), sizes).with(band);
    var shared = new Sizes(1, 4, 4096, 16, 2, dim, dim);
    var all = new ArrayList<>(List.of(dense,
        AttentionProblem.dense(Mxf8Scales.of(ElementType.F16, shared), shared).with(band),
        AttentionProblem.dense(Mxf8Scales.ofPacked(ElementType.BF16, sizes, 4), sizes).with(band)
            .with(new Packed("cuQ", "cuK", 4, 2048))));
    if (band.isAll()) {
      for (var setup : AttentionMods.setups()) {
        var changed = dense.with(setup.problem().modification());
        all.add(setup.problem().blockMask() ? changed.skipping() : changed);
      }
    }
    return all;
  }

  private static void assertIsAssembledWell(AttentionProblem problem) {
    var kernel = KERNEL.prepare(problem).kernel();
    int most = Chip.RTX5090.multiprocessor().ctaSharedBytes();
    assertTrue(kernel.dynamicSharedBytes() <= most, () -> kernel.dynamicSharedBytes() + " bytes");
    switch (ASSEMBLER.assemble(kernel.ptx(), "sm_120a")) {
      case Assembly.Assembled assembled -> {
        assertEquals(List.of(), assembled.warnings());
        assertEquals(0, assembled.resources().getFirst().spillStoreBytes());
      }
      case Assembly.Rejected rejected -> fail(rejected.log());
      case Assembly.Unavailable missing -> abort(missing.reason());
    }
  }

  private static AttentionProblem problem(int dim) {
    var sizes = Sizes.of(1, 70, 140, 1, dim);
    return AttentionProblem.dense(Mxf8Scales.of(ElementType.BF16, sizes), sizes);
  }

  @Test
  void saysWhyItRefuses() {
    var s = Sizes.of(1, 8, 8, 1, 64);
    assertEquals(Optional.of("bf16 operands need another kernel"),
        KERNEL.refusal(AttentionProblem.dense(ElementType.BF16, s)));
    assertEquals(Optional.of("e4m3 operands need another kernel"),
        KERNEL.refusal(AttentionProblem.dense(Quantized.perHead(ElementType.BF16, s), s)));
    assertEquals(Optional.of("head dimension 272 is more than 256"), KERNEL.refusal(problem(272)));
    var p = problem(64);
    assertEquals(Optional.empty(), KERNEL.refusal(p));
    assertEquals(Optional.of("head dimensions, strides and offsets are not multiples of 16 bytes"),
        KERNEL.refusal(p.at(p.q(), p.k(), p.v(), View.bshd("O", 70, 1, 68))));
    var of = p.quantized().orElseThrow();
    var narrow = new Quantized(of.format(), of.output(), of.probabilities(), of.q(),
        new Factors("scaleK", 64, 512, 1024, 2048), of.v());
    assertTrue(KERNEL.refusal(AttentionProblem.dense(narrow, p.sizes())).orElseThrow()
        .startsWith("scaleK has blocks of 64 rows"));
  }

  @Test
  void isChosenForMxf8OnSm120Alone() {
    for (int capability : List.of(80, 90, 100, 120)) {
      var chosen = AttentionKernels.builtIn().of(capability).stream().filter(k -> k.refusal(problem(64)).isEmpty())
          .map(k -> k.name()).findFirst();
      assertEquals(switch (capability) {
        case 100 -> Optional.of("sm100_attention");
        case 120 -> Optional.of("sm120_attention");
        default -> Optional.empty();
      }, chosen);
    }
  }
}
