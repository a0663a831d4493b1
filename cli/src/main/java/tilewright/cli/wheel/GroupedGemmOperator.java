package tilewright.cli.wheel;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.random.RandomGenerator;
import java.util.stream.Stream;
import tilewright.kernel.LaunchSequence;
import tilewright.kernel.Matrix;
import tilewright.kernels.GemmProblem;
import tilewright.kernels.GemmTypes;
import tilewright.numerics.ElementType;
import tilewright.sm90.GroupedGemm;
import tilewright.sm90.Grouping;

/**
 * C (M,N) = A (M,K) · B (G,N,K)ᵀ on Hopper, where the rows of A up to the first of (G) ends have the first B, and so
 * on. B lies along k, key {@code n}, or across, key {@code t}. Numbers are the extents, the strides A_s, B_s and C_s
 * from row to row, or column to column, all of 16 bytes, and B_l from entry to entry.
 */
final class GroupedGemmOperator implements PackagedOperator {
  private static final int HOPPER = 90;
  private static final int VECTOR = 8;
  private static final int MOST_ROWS = 1 << 16;
  private static final int MOST_VECTORS = 1 << 11;
  private static final int MOST_GROUPS = 256;
  private static final int MOST_GAP = 64;

  @Override
  public String name() {
    return "grouped_gemm";
  }

  @Override
  public Stream<OperatorCase> cases(int capability) {
    if (capability != HOPPER) return Stream.of();
    return Stream.of(ElementType.BF16, ElementType.F16).flatMap(type -> Stream.of(true, false).map(alongK ->
        new OperatorCase(type.text() + (alongK ? "-n" : "-t"), List.of(), List.of("M", "N", "K", "G"), List.of(),
            List.of(), new Problem(type, alongK))));
  }

  private record Problem(ElementType type, boolean alongK) implements OperatorCase.Problem {
    @Override
    public Map<String, Long> draw(Map<String, Long> axes, RandomGenerator random) {
      var n = new HashMap<String, Long>();
      n.put("M", 1L + random.nextInt(MOST_ROWS));
      n.put("G", 1L + random.nextInt(MOST_GROUPS));
      for (var extent : List.of("N", "K")) n.put(extent, VECTOR * (1L + random.nextInt(MOST_VECTORS)));
      n.put("A_s", n.get("K") + gap(random));
      n.put("B_s", n.get(alongK ? "K" : "N") + gap(random));
      n.put("B_l", n.get("B_s") * n.get(alongK ? "N" : "K") + gap(random));
      n.put("C_s", n.get("N") + gap(random));
      return n;
    }

    private static long gap(RandomGenerator random) {
      return (long) VECTOR * random.nextInt(MOST_GAP);
    }

    @Override
    public LaunchSequence prepare(Map<String, Long> n) {
      long stride = n.get("B_s");
      var b = new Matrix("B", 0, alongK ? stride : 1, alongK ? 1 : stride, n.get("B_l"));
      var problem = new GemmProblem(GemmTypes.of(type, type), number(n, "M"), number(n, "N"), number(n, "K"), 1,
          rows(n, "A"), b, rows(n, "C"), 1, 0);
      return LaunchSequence.of(new GroupedGemm(problem, Grouping.RAGGED, number(n, "G")).prepare());
    }

    private static Matrix rows(Map<String, Long> n, String name) {
      return new Matrix(name, 0, n.get(name + "_s"), 1, 0);
    }

    private static int number(Map<String, Long> n, String name) {
      return Math.toIntExact(n.get(name));
    }
  }
}
