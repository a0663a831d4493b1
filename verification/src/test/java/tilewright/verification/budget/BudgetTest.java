package tilewright.verification.budget;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tilewright.kernel.collective.attention.Band;
import tilewright.kernels.GemmProblem;
import tilewright.kernels.attention.AttentionBackwardProblem;
import tilewright.kernels.attention.AttentionProblem.Sizes;
import tilewright.kernels.attention.AttentionProblem;
import tilewright.numerics.ElementType;
import tilewright.sm100.Sm100Gemms;
import tilewright.sm100.attention.Sm100AttentionKernel;

/** Budgets of the Blackwell kernels beside what FlashAttention-4 and CUTLASS publish of theirs. */
class BudgetTest {
  private static final Budgets BUDGETS = new Budgets();
  private static final AttentionProblem ATTENTION =
      AttentionProblem.dense(ElementType.BF16, Sizes.of(4, 8192, 8192, 16, 128));

  /** Of attention with head dimension 128, and of 16 neighbouring pairs of exponentials so many on FMA units. */
  private static Budget attention(int emulated) {
    return BUDGETS.blackwell(ATTENTION,
        AttentionTrace.emulating(Sm100AttentionKernel.shape(ATTENTION).orElseThrow(), emulated));
  }

  private static Budget gemm(String rung) {
    var problem = GemmProblem.packed(ElementType.BF16, ElementType.BF16, 8192, 8192, 8192, 1, "TN");
    return BUDGETS.blackwell(problem, Sm100Gemms.configure(problem, rung));
  }

  @Test
  void withoutEmulationTheExponentUnitBoundsAttention() {
    assertEquals(Unit.EXPONENT, attention(0).bottleneck());
  }

  @Test
  void withEmulationTheTensorCoresBoundAttentionAndCanBeBusyMostOfTheTime() {
    var budget = attention(Sm100AttentionKernel.shape(ATTENTION).orElseThrow().emulated());
    assertEquals(Unit.TENSOR, budget.bottleneck());
    assertTrue(budget.attainable() >= 0.70, () -> "attainable: " + budget.attainable());
  }

  /** FlashAttention-4, section 3: 1024 cycles of products, 768 of shared memory and 1024 of exponentials a tile. */
  @Test
  void aTileOfAttentionTakesThePublishedCyclesOfEachUnit() {
    var step = attention(0).step();
    assertEquals(2 * 1024, ChipRates.B200.cycles(step, Unit.TENSOR));
    assertEquals(2 * 768, step.of(Amount.OPERAND_BYTES) / 128);
    // One more exponential for each row, by which its sum is rescaled.
    assertEquals(2 * (1024 + 8), ChipRates.B200.cycles(step, Unit.EXPONENT));
  }

  /** e4m3 operands halve the GEMMs' cycles and the bytes of P; the exponentials remain and bound the kernel. */
  @Test
  void eightBitOperandsHalveTheGemmsAndLeaveTheExponentials() {
    var sizes = ATTENTION.sizes();
    var problem = AttentionProblem.dense(AttentionProblem.Quantized.perHead(ElementType.BF16, sizes), sizes);
    var shape = Sm100AttentionKernel.shape(problem).orElseThrow();
    var budget = BUDGETS.blackwell(problem, shape);
    var step = budget.step();
    assertEquals(1024, ChipRates.B200.cycles(step, Unit.TENSOR));
    double scores = 2 * 128 * 128;
    assertEquals(scores * Float.BYTES + scores, step.of(Amount.TENSOR_MEMORY_READ));
    assertEquals(scores, step.of(Amount.TENSOR_MEMORY_WRITTEN));
    assertEquals(Unit.EXPONENT, budget.bottleneck());
    // Of the peak of 16-bit operands.
    assertTrue(budget.attainable() >= 1.1, () -> "attainable: " + budget.attainable());
  }

  /**
   * FlashAttention-4, section 4: 2,560 cycles of products, 1,024 of exponentials and 3,328 of shared memory a tile in a
   * single CTA. The last are operands, dS, and dQ to its stage and from there. Rows' statistics come on top: two reads
   * of 16 bytes for four queries in each of eight warps.
   */
  @Test
  void aTileOfGradientsTakesThePublishedCyclesOfEachUnit() {
    var step = BUDGETS.gradients(AttentionBackwardProblem.dense(AttentionProblem.dense(ElementType.BF16,
        Sizes.of(4, 8192, 128, 16, 128))), "sm100").step();
    assertEquals(2560, ChipRates.B200.cycles(step, Unit.TENSOR));
    assertEquals(1024, ChipRates.B200.cycles(step, Unit.EXPONENT));
    assertEquals(2048, step.of(Amount.OPERAND_BYTES) / 128);
    double fromStage = 128 * 128 * Float.BYTES / 128;
    double statistics = 2 * 4 * 8 * 64 / 4;
    assertEquals(3328, ChipRates.B200.cycles(step, Unit.SHARED) + fromStage - statistics);
  }

  /** Each CTA has half of operand B of four GEMMs, all keys of a half of dQ's operands, and half of dQ's rows. */
  @Test
  void aPairOfCtasReadsLessAndCanKeepTheTensorCoresBusyMostOfTheTime() {
    var budget = gradients("sm100");
    assertEquals(2560, ChipRates.B200.cycles(budget.step(), Unit.TENSOR));
    assertEquals(1536, budget.step().of(Amount.OPERAND_BYTES) / 128);
    assertTrue(budget.attainable() >= 0.70, () -> "attainable: " + budget.attainable());
  }

  /** Five GEMMs of 128 keys, 64 queries and head dimension 128. */
  @ParameterizedTest
  @ValueSource(strings = {"sm80", "sm90"})
  void aTileOfGradientsTakesFiveGemms(String arch) {
    assertEquals(5 * 2.0 * 128 * 64 * 128, gradients(arch).step().of(Amount.TENSOR_OPERATIONS));
  }

  @Test
  void aCausalMaskHalvesTheStepsOfGradients() {
    var work = BUDGETS.gradients(AttentionBackwardProblem.dense(ATTENTION.with(Band.CAUSAL)), "sm90").work();
    int blocks = 8192 / 128;
    assertEquals(4 * 16 * blocks * (blocks + 1.0), work.steps());
    assertEquals(2.0 * blocks, work.longest());
  }

  private static Budget gradients(String arch) {
    return BUDGETS.gradients(AttentionBackwardProblem.dense(ATTENTION), arch);
  }

  /** Scores are read once and weights written once; tensor cores read these again. */
  @Test
  void scoresAndWeightsCrossTensorMemoryOnce() {
    var step = attention(0).step();
    double scores = 2 * 128 * 128;
    assertEquals(scores * Float.BYTES + scores * 2, step.of(Amount.TENSOR_MEMORY_READ));
    assertEquals(scores * 2, step.of(Amount.TENSOR_MEMORY_WRITTEN));
  }

  /** Of every 16 pairs in three of four chunks of a row, so many are on FMA units. */
  @ParameterizedTest
  @ValueSource(ints = {4, 8})
  void emulationTakesItsShareFromTheExponentUnit(int emulated) {
    double all = 2 * 128 * 128;
    assertEquals(all * 0.75 * emulated / 16,
        attention(0).step().of(Amount.EXPONENTIALS) - attention(emulated).step().of(Amount.EXPONENTIALS));
  }

  /** 128x256 of C by 64 of k on each SM; a pair shares B, so that each reads and copies half of it. */
  @Test
  void aPairOfMultiprocessorsHalvesTheTrafficOfB() {
    double a = 128 * 64 * 2;
    double b = 256 * 64 * 2;
    assertEquals(a + b, gemm("specialised").step().of(Amount.OPERAND_BYTES));
    assertEquals(a + b, gemm("specialised").step().of(Amount.GLOBAL_BYTES));
    assertEquals(a + b, gemm("multicast").step().of(Amount.COPIED_BYTES));
    assertEquals(a + b / 2, gemm("multicast").step().of(Amount.GLOBAL_BYTES));
    assertEquals(a + b / 2, gemm("persistent").step().of(Amount.OPERAND_BYTES));
    assertEquals(a + b / 2, gemm("persistent").step().of(Amount.COPIED_BYTES));
  }

  /** CUTLASS's kernel: a wait, four products and two signals a stage, 512 cycles of tensor cores. */
  @Test
  void aStageOfTheGemmIsFourProductsBetweenAWaitAndACommit() {
    var step = gemm("persistent").step();
    assertEquals(512, ChipRates.B200.cycles(step, Unit.TENSOR));
    assertTrue(step.of(Amount.SIGNALS) <= 2, () -> "signals of a CTA: " + step.of(Amount.SIGNALS));
    assertTrue(ChipRates.B200.cycles(step, Unit.ISSUE) < 0.1 * 512,
        "the warps that copy and multiply leave the rest free");
  }

  /** A tile's sums are read from Tensor Memory once. */
  @Test
  void sumsAreReadOnce() {
    assertEquals(128 * 256 * Float.BYTES, gemm("persistent").tile().of(Amount.TENSOR_MEMORY_READ));
  }
}
