package tilewright.verification.bench;

import java.util.List;
import java.util.Locale;
import java.util.Map;
import tilewright.kernels.GemmProblem;
import tilewright.kernels.GemmTypes;
import tilewright.numerics.ElementType;
import tilewright.sm90.GroupedGemm;
import tilewright.sm90.Grouping;

/** Eight groups of equally many rows: one after the other, or masked, where all rows count. */
final class GroupedProblem {
  private static final int GROUPS = 8;

  private GroupedProblem() {}

  /**
   * @param m rows of all groups
   */
  static Measured measured(GemmTypes types, Grouping grouping, int m, int n, int k) {
    boolean contiguous = grouping == Grouping.CONTIGUOUS;
    if (!contiguous && m % GROUPS != 0) {
      throw new IllegalArgumentException("m = " + m + " is not " + GROUPS + " groups of equally many rows");
    }
    var problem = contiguous ? GemmProblem.packed(types, m, n, k, 1, "TN")
        : GemmProblem.packed(types, m / GROUPS, n, k, GROUPS, "TN");
    var gemm = new GroupedGemm(problem, grouping, GROUPS);
    var table = contiguous ? new Measured.Tensor("groups", ElementType.I32, gemm.blocks(),
        new Measured.Content.Ranges(Math.ceilDiv(gemm.blocks(), GROUPS)))
        : new Measured.Tensor("rows", ElementType.I32, GROUPS, new Measured.Content.Same(m / GROUPS));
    var tensors = List.of(Measured.Tensor.input("A", types.a(), (long) m * k),
        Measured.Tensor.input("B", types.b(), (long) GROUPS * n * k),
        Measured.Tensor.output("C", types.output(), (long) m * n), table);
    long bytes = tensors.stream().mapToLong(Measured.Tensor::bytes).sum();
    Map<String, Object> peer = Map.of("op", "grouped_gemm", "m", m, "n", n, "k", k, "groups", GROUPS, "dtype",
        types.a().text());
    return new Measured("sm90_grouped_gemm", "sm90", m + "x" + n + "x" + k + " " + types + " " + GROUPS + " groups "
        + grouping.name().toLowerCase(Locale.ROOT), gemm.prepare(), tensors, bytes, 2.0 * m * n * k, peer);
  }
}
