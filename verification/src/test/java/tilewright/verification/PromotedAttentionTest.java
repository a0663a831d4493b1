package tilewright.verification;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import tilewright.kernels.attention.Accumulation;
import tilewright.kernels.attention.Attention;
import tilewright.kernels.attention.AttentionProblem;
import tilewright.kernels.attention.AttentionProblem.Quantized;
import tilewright.kernels.attention.AttentionProblem.Sizes;
import tilewright.kernels.attention.Sm89AttentionKernel;
import tilewright.numerics.ElementType;
import tilewright.numerics.Rounding;
import tilewright.sm90.attention.Sm90AttentionKernel;
import tilewright.verification.backend.SimulatorBackend;
import tilewright.verification.cases.AttentionCases;

/** P·V of each block added to O in FP32: what that saves where V has a mean, and what is refused. */
class PromotedAttentionTest {
  private static final Sm90AttentionKernel KERNEL = new Sm90AttentionKernel();
  private static final int KEYS = 1000;
  private static final int DIM = 64;

  /** The mean difference of a query's O from FP64 attention of the codes, where a factor of each operand is one. */
  private static double bias(AttentionProblem p) {
    var buffers = AttentionCases.buffers(KERNEL, new AttentionCases.Setup("mean", p, (_, _, _) -> null), 1);
    for (var name : List.of("descaleQ", "descaleK", "descaleV")) {
      buffers.get(name).set(ValueLayout.JAVA_FLOAT_UNALIGNED, 0, 1);
    }
    var random = new SplittableRandom(3);
    for (int i = 0; i < KEYS * DIM; i++) {
      long code = ElementType.E4M3.fromDouble(1 + random.nextGaussian(), Rounding.NEAREST_EVEN);
      buffers.get("V").set(ValueLayout.JAVA_BYTE, i, (byte) code);
    }
    assertEquals(List.of(), new SimulatorBackend(1).run(KERNEL.prepare(p).on(buffers)).findings());
    var exact = attention(buffers, p.scale());
    double sum = 0;
    for (int d = 0; d < DIM; d++) {
      sum += ElementType.F16.toDouble(buffers.get("O").getAtIndex(ValueLayout.JAVA_SHORT_UNALIGNED, d)) - exact[d];
    }
    return sum / DIM;
  }

  private static double[] attention(Map<String, MemorySegment> buffers, double scale) {
    var o = new double[DIM];
    double total = 0;
    for (int key = 0; key < KEYS; key++) {
      double score = 0;
      for (int d = 0; d < DIM; d++) score += code(buffers, "Q", d) * code(buffers, "K", key * DIM + d);
      double p = Math.exp(scale * score);
      total += p;
      for (int d = 0; d < DIM; d++) o[d] += p * code(buffers, "V", key * DIM + d);
    }
    for (int d = 0; d < DIM; d++) o[d] /= total;
    return o;
  }

  private static double code(Map<String, MemorySegment> buffers, String name, int index) {
    return ElementType.E4M3.toDouble(buffers.get(name).get(ValueLayout.JAVA_BYTE, index) & 0xFF);
  }

  @Test
  void sumsOfBlocksKeepWhatSumsOfAllKeysLose() {
    var sizes = Sizes.of(1, 1, KEYS, 1, DIM);
    var fast = Attention.forward(Quantized.perHead(ElementType.F16, sizes), sizes).problem();
    var promoted = Attention.forward(Quantized.perHead(ElementType.F16, sizes), sizes).promoted().problem();
    double all = bias(fast);
    double apart = bias(promoted);
    assertTrue(all < -0.006, "all keys: " + all);
    // P of 8 bits alone gives some of it: its sum is not that of P in FP32.
    assertTrue(Math.abs(apart) < 0.004, "blocks: " + apart);
  }

  @Test
  void whatHasNoRegistersOrNeedIsRefused() {
    var wide = Sizes.of(1, 8, 8, 1, 192);
    assertEquals(Optional.of("P·V of blocks needs registers beside O: value dimension 192 is more than 128, so take "
        + "fast accumulation"), KERNEL.refusal(promoted(wide)));
    assertEquals(Optional.empty(), KERNEL.refusal(promoted(new Sizes(1, 8, 8, 1, 1, 192, 128))));
    assertTrue(new Sm89AttentionKernel().refusal(promoted(Sizes.of(1, 8, 8, 1, 64))).orElseThrow()
        .startsWith("P·V of blocks is not added to O in FP32 here: take sm90_attention"));
    var bf16 = Attention.forward(ElementType.BF16, wide);
    assertEquals("sums of bf16 products are FP32 already: only those of 8-bit operands are promoted",
        assertThrows(IllegalArgumentException.class, bf16::promoted).getMessage());
    assertEquals(Accumulation.FAST, Quantized.perHead(ElementType.BF16, wide).accumulation());
  }

  private static AttentionProblem promoted(Sizes sizes) {
    return AttentionProblem.dense(Quantized.perHead(ElementType.BF16, sizes), sizes).promoted();
  }
}
