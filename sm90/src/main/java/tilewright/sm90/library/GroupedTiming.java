package tilewright.sm90.library;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import tilewright.kernels.GemmProblem;
import tilewright.kernels.GemmTypes;
import tilewright.kernels.epilogue.StandardEpilogue;
import tilewright.kernels.library.GemmSettings;
import tilewright.kernels.library.GemmTimings;
import tilewright.kernels.registry.TimedProblem;
import tilewright.kernels.registry.TimingRequest;
import tilewright.numerics.ElementType;
import tilewright.sm90.GroupedGemm;
import tilewright.sm90.Grouping;

/** Eight groups of equally many rows: one after the other, or masked, where all rows count. */
final class GroupedTiming {
  private static final int GROUPS = 8;
  private static final String PLAIN = StandardEpilogue.PLAIN.text();

  private GroupedTiming() {}

  /** Every type, grouping and epilogue of a request, whose results are rounded, or quantised. */
  static List<Supplier<TimedProblem>> problems(TimingRequest request) {
    var groupings = request.values("grouping", "contiguous").stream().map(text -> switch (text) {
      case "contiguous" -> Grouping.CONTIGUOUS;
      case "masked" -> Grouping.MASKED;
      case "ragged" -> Grouping.RAGGED;
      default -> throw new IllegalArgumentException("invalid grouping " + text + ": contiguous, masked or ragged");
    }).toList();
    var all = new ArrayList<Supplier<TimedProblem>>();
    for (var types : GemmTimings.types(request)) {
      for (var grouping : groupings) {
        for (var quantize : request.values("quantize", "none")) {
          for (var epilogue : request.values("epilogue", PLAIN)) {
            all.add(() -> problem(types, grouping, epilogue, GemmSettings.quantizes(quantize), request.extent("m"),
                request.extent("n"), request.extent("k")));
          }
        }
      }
    }
    return all;
  }

  /** @param m rows of all groups */
  private static TimedProblem problem(GemmTypes rounded, Grouping grouping, String epilogue, boolean codes, int m,
      int n, int k) {
    boolean contiguous = grouping != Grouping.MASKED;
    var types = codes ? new GemmTypes(rounded.a(), rounded.b(), ElementType.E4M3, rounded.accumulation()) : rounded;
    if (grouping != Grouping.CONTIGUOUS && m % GROUPS != 0) {
      throw new IllegalArgumentException("m = " + m + " is not " + GROUPS + " groups of equally many rows");
    }
    var problem = contiguous ? GemmProblem.packed(types, m, n, k, 1, "TN")
        : GemmProblem.packed(types, m / GROUPS, n, k, GROUPS, "TN");
    var gemm = GroupedGemm.packed(problem, grouping, GROUPS, EpilogueTiming.tree(epilogue, codes, rounded.output()));
    var tensors = new ArrayList<>(List.of(TimedProblem.Tensor.input("A", types.a(), (long) m * k),
        TimedProblem.Tensor.input("B", types.b(), (long) GROUPS * n * k), table(gemm, m)));
    tensors.addAll(EpilogueTiming.tensors(gemm.epilogue(), types.output(), (long) m * n));
    long bytes = tensors.stream().mapToLong(TimedProblem.Tensor::bytes).sum();
    Map<String, Object> peer = Map.of("op", "grouped_gemm", "m", m, "n", n, "k", k, "groups", GROUPS, "dtype",
        types.a().text());
    return new TimedProblem("sm90_grouped_gemm", "sm90", m + "x" + n + "x" + k + " " + types + " " + GROUPS + " groups "
        + grouping.name().toLowerCase(Locale.ROOT) + (epilogue.equals(PLAIN) ? "" : " epilogue " + epilogue)
        + (codes ? " quantize 1x128" : ""), gemm.prepare(), tensors, bytes, 2.0 * m * n * k, peer);
  }

  private static TimedProblem.Tensor table(GroupedGemm gemm, int m) {
    int each = m / GROUPS;
    return switch (gemm.grouping()) {
      case CONTIGUOUS -> new TimedProblem.Tensor("groups", ElementType.I32, gemm.blocks(),
          new TimedProblem.Content.Ranges(Math.ceilDiv(gemm.blocks(), GROUPS)));
      case RAGGED -> new TimedProblem.Tensor("ends", ElementType.I32, GROUPS, new TimedProblem.Content.Given(
          IntStream.rangeClosed(1, GROUPS).map(group -> group * each).boxed().toList()));
      default -> new TimedProblem.Tensor("rows", ElementType.I32, GROUPS, new TimedProblem.Content.Same(each));
    };
  }
}
