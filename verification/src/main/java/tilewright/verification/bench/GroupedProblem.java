package tilewright.verification.bench;

import java.util.List;
import java.util.Map;
import tilewright.kernels.GemmProblem;
import tilewright.numerics.ElementType;
import tilewright.sm90.GroupedGemm;
import tilewright.sm90.Grouping;

/** Eight groups of equally many rows, one after the other. */
final class GroupedProblem {
  private static final int GROUPS = 8;

  private GroupedProblem() {}

  static Measured measured(GemmProblem p) {
    var gemm = new GroupedGemm(p, Grouping.CONTIGUOUS, GROUPS);
    var tensors = List.of(Measured.Tensor.input("A", p.types().a(), (long) p.m() * p.k()),
        Measured.Tensor.input("B", p.types().b(), (long) GROUPS * p.n() * p.k()),
        Measured.Tensor.output("C", p.output(), (long) p.m() * p.n()),
        new Measured.Tensor("groups", ElementType.I32, gemm.blocks(),
            new Measured.Content.Ranges(Math.ceilDiv(gemm.blocks(), GROUPS))));
    long bytes = tensors.stream().mapToLong(t -> t.elements() * t.type().bytes()).sum();
    Map<String, Object> peer = Map.of("op", "grouped_gemm", "m", p.m(), "n", p.n(), "k", p.k(), "groups", GROUPS,
        "dtype", p.types().a().text());
    return new Measured("sm90_grouped_gemm", "sm90", p.m() + "x" + p.n() + "x" + p.k() + " " + p.types() + " "
        + GROUPS + " groups", gemm.prepare(), tensors, bytes, 2.0 * p.m() * p.n() * p.k(), peer);
  }
}
