package tilewright.sm90.rows;

import java.util.List;
import java.util.function.Supplier;
import tilewright.kernel.F32;
import tilewright.numerics.ElementType;

/** What a kernel does with each row: numbers that sum it up, and with them each value's result. */
interface RowOperation {
  /** Of the kernel. */
  String name();

  /** Names of the vectors (N) that all rows share. */
  List<String> vectors();

  /** Bytes of a row from which on streaming is faster than registers on an H200. */
  int leastBytes(ElementType type);

  /** Numbers of a summary: 1, 2 or 4. */
  int width();

  /**
   * What sums up a thread's values.
   *
   * @param values anew each time, so that they need not stay in registers
   */
  List<F32> summary(Supplier<List<F32>> values);

  /** One summary of two, of {@code each} values each; commutative. */
  List<F32> merge(int each, List<F32> a, List<F32> b);

  /** What all results of a row of {@code n} values depend on. */
  List<F32> factors(int n, List<F32> summary);

  /** @param shared the vectors' values in this column */
  F32 result(F32 value, List<F32> factors, List<F32> shared);
}
