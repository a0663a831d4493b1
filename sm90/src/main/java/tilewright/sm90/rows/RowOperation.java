package tilewright.sm90.rows;

import java.util.List;
import java.util.function.Supplier;
import tilewright.kernel.F32;
import tilewright.numerics.ElementType;

/** An operation on rows: statistics that summarise a row, and each value's result from them. */
interface RowOperation {
  /** The kernel's name. */
  String name();

  /** Names of the vectors (N) that all rows share. */
  List<String> vectors();

  /** Bytes of a row from which on streaming is faster than registers on an H200. */
  int leastBytes(ElementType type);

  /**
   * CTAs that share a row, where {@code enough} have all of it in slices of the usual size. Sums are merged as soon as
   * made: long rows have as many CTAs as can be.
   */
  default int cluster(int enough, int most) {
    return enough <= 2 ? enough : most;
  }

  /** Warps of a CTA that compute, at most. */
  default int warps(int cluster) {
    return 16;
  }

  /**
   * The approximate size of a CTA's ring in bytes. With more under way, rows that are worked on together lie farther
   * apart and memory is slower; with less, memory waits while the CTAs of a row exchange statistics.
   */
  default int ringBytes(int cluster) {
    return cluster > 2 ? 112 << 10 : 96 << 10;
  }

  /** Numbers of a summary: 1 to 4. */
  int width();

  /**
   * Summarises a thread's values.
   *
   * @param values anew each time, so that they need not stay in registers
   */
  List<F32> summary(Supplier<List<F32>> values);

  /** One summary of two, of {@code each} values each; commutative. */
  List<F32> merge(int each, List<F32> a, List<F32> b);

  /** The factors on which all results of a row of {@code n} values depend. */
  List<F32> factors(int n, List<F32> summary);

  /** @param shared the vectors' values in this column */
  F32 result(F32 value, List<F32> factors, List<F32> shared);
}
