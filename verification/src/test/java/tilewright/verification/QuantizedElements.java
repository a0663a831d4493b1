package tilewright.verification;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Map;
import tilewright.kernels.attention.AttentionProblem.View;
import tilewright.kernels.attention.AttentionProblem;
import tilewright.numerics.ElementType;
import tilewright.numerics.Rounding;

/** The elements of attention of 8-bit codes in its buffers, with addresses of their own. */
record QuantizedElements(AttentionProblem problem, Map<String, MemorySegment> buffers) {

  /** A code of Q, K or V, as a number without its factor. */
  double code(View v, int b, int row, int head, int d) {
    return ElementType.E4M3.toDouble(
        buffers.get(v.buffer()).get(ValueLayout.JAVA_BYTE, v.offset() + place(v, b, row, head, d)));
  }

  /** Stores an element of O. */
  void setOutput(int b, int row, int head, int d, double value) {
    long bits = problem.outputType().fromDouble(value, Rounding.NEAREST_EVEN);
    buffers.get(problem.o().buffer()).set(ValueLayout.JAVA_SHORT_UNALIGNED,
        problem.o().offset() + 2 * place(problem.o(), b, row, head, d), (short) bits);
  }

  /** Stores the logarithm of a row's sum, if the problem has any. */
  void setLogarithm(int b, int row, int head, double value) {
    problem.lse().ifPresent(lse -> buffers.get(lse.buffer()).setAtIndex(ValueLayout.JAVA_FLOAT_UNALIGNED,
        lse.batch() * b + lse.sequence() * row + lse.head() * head, (float) value));
  }

  private static long place(View v, int b, int row, int head, int d) {
    return v.batch() * b + v.sequence() * row + v.head() * head + v.dim() * d;
  }
}
