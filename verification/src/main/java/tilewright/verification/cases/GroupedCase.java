package tilewright.verification.cases;

import java.lang.foreign.MemorySegment;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.stream.IntStream;
import tilewright.kernel.Matrix;
import tilewright.kernels.GemmProblem;
import tilewright.layout.Layout;
import tilewright.numerics.ElementType;
import tilewright.reference.GemmReference;
import tilewright.reference.TensorView;
import tilewright.sm90.GroupedGemm;
import tilewright.sm90.Grouping;

/**
 * A product of groups of rows.
 *
 * @param table the group of each block of rows, or the rows of each group, or the row behind its last
 * @param name of the epilogue
 */
public record GroupedCase(GroupedGemm gemm, List<Integer> table, String name) {
  public Case of(Set<String> backends, long seed) {
    var p = gemm.problem();
    var config = GemmCases.config(p, "TN") + " " + gemm.grouping() + " " + table
        + (name.equals("plain") ? "" : " epilogue=" + name);
    return new Case("sm90_grouped_gemm", "sm90", config.toLowerCase(Locale.ROOT), backends,
        Price.of(p), gemm::prepare, () -> inputs(seed), (in, out, _) -> compare(in, out));
  }

  private boolean masked() {
    return gemm.grouping() == Grouping.MASKED;
  }

  private Map<String, MemorySegment> inputs(long seed) {
    var p = gemm.problem();
    var buffers = new HashMap<String, MemorySegment>();
    buffers.put("A", Buffers.normal(p.types().a(), (long) p.m() * p.k() * p.batch(), seed));
    buffers.put("B", Buffers.normal(p.types().b(), (long) p.n() * p.k() * gemm.groups(), seed + 1));
    buffers.put("C", Buffers.poisoned(p.output(), (long) p.m() * p.n() * p.batch()));
    EpilogueCases.addTo(buffers, gemm.epilogue(), seed);
    var entries = Buffers.poisoned(ElementType.I32, table.size());
    var view = new TensorView(ElementType.I32, entries, Layout.of(table.size(), 1));
    for (int i = 0; i < table.size(); i++) view.set(i, table.get(i));
    buffers.put(switch (gemm.grouping()) {
      case CONTIGUOUS -> "groups";
      case RAGGED -> "ends";
      default -> "rows";
    }, entries);
    return buffers;
  }

  private Verdict compare(Map<String, MemorySegment> in, Map<String, MemorySegment> out) {
    var p = gemm.problem();
    var exact = new double[p.m() * p.n() * p.batch()];
    var stepwise = new double[exact.length];
    var groups = new int[exact.length];
    var elements = IntStream.builder();
    for (int group = 0; group < gemm.groups(); group++) {
      int entry = masked() ? group : 0;
      var a = GemmCases.view(p.types().a(), in, entry(p.a(), entry, p.types().a()), p.m(), p.k(), 1);
      var b = GemmCases.view(p.types().b(), in, entry(p.b(), group, p.types().b()), p.n(), p.k(), 1);
      var reference = new GemmReference(a, b, EpilogueCases.sums(p.m(), p.n(), 1), 1, 0);
      int[] rows = rows(p, group);
      double[] ours = reference.exact(rows);
      double[] summed = reference.onWarpgroups(rows);
      for (int column = 0; column < p.n(); column++) {
        for (int row : rows) {
          int at = row + p.m() * (column + p.n() * entry);
          exact[at] = ours[row + p.m() * column];
          stepwise[at] = summed[row + p.m() * column];
          groups[at] = group;
          elements.add(at);
        }
      }
    }
    return EpilogueCases.verdict(p, gemm.epilogue(), in, out, List.of(exact), List.of(stepwise),
        new EpilogueCases.Part(element -> groups[element], elements.build().toArray()));
  }

  /** The rows of A that are of a group. */
  private int[] rows(GemmProblem p, int group) {
    return switch (gemm.grouping()) {
      case CONTIGUOUS -> IntStream.range(0, p.m()).filter(row -> table.get(row / GroupedGemm.ROWS) == group).toArray();
      case RAGGED -> IntStream.range(group == 0 ? 0 : table.get(group - 1), table.get(group)).toArray();
      default -> IntStream.range(0, Math.min(p.m(), table.get(group))).toArray();
    };
  }

  private static Matrix entry(Matrix matrix, int entry, ElementType type) {
    return new Matrix(matrix.buffer(), matrix.offset() + entry * matrix.batchStride() * type.bytes(),
        matrix.rowStride(), matrix.columnStride(), 0);
  }
}
