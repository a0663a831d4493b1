package tilewright.sm90.library;

import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Supplier;
import tilewright.kernels.GemmProblem;
import tilewright.kernels.GemmTypes;
import tilewright.kernels.library.GemmTimings;
import tilewright.kernels.registry.TimedProblem;
import tilewright.kernels.registry.TimingRequest;
import tilewright.numerics.ElementType;
import tilewright.sm90.GroupedGemm;
import tilewright.sm90.Grouping;

/** Eight groups of equally many rows: one after the other, or masked, where all rows count. */
final class GroupedTiming {
  private static final int GROUPS = 8;

  private GroupedTiming() {}

  /** Every type and grouping of a request. */
  static List<Supplier<TimedProblem>> problems(TimingRequest request) {
    var groupings = request.values("grouping", "contiguous").stream().map(text -> switch (text) {
      case "contiguous" -> Grouping.CONTIGUOUS;
      case "masked" -> Grouping.MASKED;
      default -> throw new IllegalArgumentException("invalid grouping " + text + ": contiguous or masked");
    }).toList();
    return GemmTimings.types(request).stream().flatMap(types -> groupings.stream().<Supplier<TimedProblem>>map(
        grouping -> () -> problem(types, grouping, request.extent("m"), request.extent("n"), request.extent("k"))))
        .toList();
  }

  /** @param m rows of all groups */
  private static TimedProblem problem(GemmTypes types, Grouping grouping, int m, int n, int k) {
    boolean contiguous = grouping == Grouping.CONTIGUOUS;
    if (!contiguous && m % GROUPS != 0) {
      throw new IllegalArgumentException("m = " + m + " is not " + GROUPS + " groups of equally many rows");
    }
    var problem = contiguous ? GemmProblem.packed(types, m, n, k, 1, "TN")
        : GemmProblem.packed(types, m / GROUPS, n, k, GROUPS, "TN");
    var gemm = new GroupedGemm(problem, grouping, GROUPS);
    var table = contiguous ? new TimedProblem.Tensor("groups", ElementType.I32, gemm.blocks(),
        new TimedProblem.Content.Ranges(Math.ceilDiv(gemm.blocks(), GROUPS)))
        : new TimedProblem.Tensor("rows", ElementType.I32, GROUPS, new TimedProblem.Content.Same(m / GROUPS));
    var tensors = List.of(TimedProblem.Tensor.input("A", types.a(), (long) m * k),
        TimedProblem.Tensor.input("B", types.b(), (long) GROUPS * n * k),
        TimedProblem.Tensor.output("C", types.output(), (long) m * n), table);
    long bytes = tensors.stream().mapToLong(TimedProblem.Tensor::bytes).sum();
    Map<String, Object> peer = Map.of("op", "grouped_gemm", "m", m, "n", n, "k", k, "groups", GROUPS, "dtype",
        types.a().text());
    return new TimedProblem("sm90_grouped_gemm", "sm90", m + "x" + n + "x" + k + " " + types + " " + GROUPS + " groups "
        + grouping.name().toLowerCase(Locale.ROOT), gemm.prepare(), tensors, bytes, 2.0 * m * n * k, peer);
  }
}
