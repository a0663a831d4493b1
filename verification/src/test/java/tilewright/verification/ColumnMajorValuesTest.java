package tilewright.verification;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import java.lang.foreign.ValueLayout;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import tilewright.kernel.collective.attention.Band;
import tilewright.kernels.attention.AttentionBackwardProblem;
import tilewright.kernels.attention.AttentionProblem;
import tilewright.kernels.attention.AttentionProblem.Packed;
import tilewright.kernels.attention.AttentionProblem.Quantized;
import tilewright.kernels.attention.AttentionProblem.Sizes;
import tilewright.kernels.attention.AttentionProblem.View;
import tilewright.kernels.attention.ValueOrder;
import tilewright.numerics.ElementType;
import tilewright.sm100.attention.Sm100AttentionKernel;
import tilewright.sm90.attention.Sm90AttentionKernel;
import tilewright.sm90.attention.backward.Sm90AttentionBackwardKernel;
import tilewright.verification.backend.SimulatorBackend;
import tilewright.verification.cases.AttentionCases;
import tilewright.verification.cases.ColumnMajorValues;

/** Attention whose V has neighbours along the keys: as exact as with rows of V, and what is refused. */
class ColumnMajorValuesTest {
  private static final Sm90AttentionKernel KERNEL = new Sm90AttentionKernel();
  private static final Sizes SIZES = new Sizes(1, 40, 70, 2, 1, 64, 64);

  private static AttentionProblem problem(View v) {
    var p = AttentionProblem.dense(Quantized.perHead(ElementType.BF16, SIZES), SIZES);
    return p.at(p.q(), p.k(), v, p.o());
  }

  /** Sums are of the same products in the same order, so every bit is the same. */
  @Test
  void sixteenBitsGiveTheBitsOfRows() {
    var rows = AttentionCases.band(ElementType.BF16, new Sizes(1, 40, 150, 2, 1, 64, 64), Band.CAUSAL);
    assertArrayEquals(output(rows), output(ColumnMajorValues.of(rows)));
  }

  private static byte[] output(AttentionCases.Setup setup) {
    var buffers = AttentionCases.buffers(KERNEL, setup, 3);
    var outcome = new SimulatorBackend(3).run(KERNEL.prepare(setup.problem()).on(buffers));
    assertEquals(List.of(), outcome.findings());
    return buffers.get("O").toArray(ValueLayout.JAVA_BYTE);
  }

  @Test
  void theOrderFollowsFromTheStrides() {
    assertEquals(ValueOrder.ROW_MAJOR, ValueOrder.of(View.bshd("V", 70, 1, 64)));
    assertEquals(ValueOrder.COLUMN_MAJOR, ValueOrder.of(View.bhds("V", 1, 64, 80)));
    // One column, in which both strides are 1.
    assertEquals(ValueOrder.ROW_MAJOR, ValueOrder.of(View.bshd("V", 70, 1, 1)));
  }

  @Test
  void columnsWithoutRoomAreRefusedWithTheRoomTheyNeed() {
    assertEquals(Optional.empty(), KERNEL.refusal(problem(View.bhds("V", 1, 64, 80))));
    assertEquals(Optional.of("columns of V are 70 elements apart, heads 4480, batch entries 4480, from byte 0: tensor "
        + "copies need multiples of 16 bytes, such as columns with room for 80 keys"),
        KERNEL.refusal(problem(View.bhds("V", 1, 64, 70))));
    assertEquals(Optional.of("columns of V are 80 elements apart, heads 5120, batch entries 5120, from byte 8: tensor "
        + "copies need multiples of 16 bytes, such as columns with room for 80 keys"),
        KERNEL.refusal(problem(new View("V", 8, 5120, 1, 5120, 80))));
  }

  @Test
  void gradientsAndPackedSequencesOnBlackwellNeedRows() {
    var packed = problem(View.bhds("V", 1, 64, 80)).with(new Packed("cuQ", "cuK", 2, 30));
    assertEquals(Optional.empty(), KERNEL.refusal(packed));
    assertEquals(Optional.of("packed sequences begin at any key, but tensor copies of column-major V at multiples of "
        + "16 bytes: give rows of V, or take sm90_attention"), new Sm100AttentionKernel().refusal(packed));
    var p = AttentionProblem.dense(ElementType.BF16, SIZES);
    assertEquals(Optional.of("V is column-major, its stride along the keys is 1: give rows of V, or take the forward "
        + "pass of sm90_attention or sm100_attention"), new Sm90AttentionBackwardKernel().refusal(
            AttentionBackwardProblem.dense(p.at(p.q(), p.k(), View.bhds("V", 1, 64, 80), p.o()))));
  }
}
