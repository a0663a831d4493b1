package tilewright.cli.wheel;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.random.RandomGenerator;
import java.util.stream.Stream;
import tilewright.cli.wheel.DecisionTree.Axis;
import tilewright.kernel.LaunchArguments.Tensor;
import tilewright.kernel.LaunchSequence;
import tilewright.kernels.choice.Formula;
import tilewright.kernels.gemm.BlockQuantizer;
import tilewright.kernels.gemm.MatrixQuantizer;
import tilewright.numerics.ElementType;

/**
 * Codes Y (M,K) of e4m3 of X (M,K), and FP32 factors: one, one for each row, or one for 128 of k in a row or in 128
 * rows. Numbers are the extents, the strides X_s and Y_s from row to row, F_r and F_c of the factors, and V: elements
 * of 16 bytes of X where K and the strides are multiples of them, else 1.
 */
final class QuantizeOperator implements PackagedOperator {
  private static final int FIRST = 86;
  private static final int MOST_ROWS = 1 << 15;
  private static final int MOST_COLUMNS = 1 << 14;
  private static final int MOST_GAP = 1 << 8;

  private enum Scaling {
    TENSOR("tensor"), ROW("row"), ROW_BLOCKS("1x128"), SQUARES("128x128");

    private final String text;

    Scaling(String text) {
      this.text = text;
    }
  }

  @Override
  public String name() {
    return "quantize";
  }

  @Override
  public Stream<OperatorCase> cases(int capability) {
    if (capability < FIRST) return Stream.of();
    return Stream.of(ElementType.BF16, ElementType.F16, ElementType.F32).flatMap(type ->
        Stream.of(Scaling.values()).map(scaling -> new OperatorCase(
            type.text() + "-" + scaling.text,
            List.of(Axis.only("elements", Formula.of("V"), List.of(1L, (long) MatrixQuantizer.vector(type)))),
            List.of("M", "K"), List.of(), List.of(), new Problem(type, scaling))));
  }

  private record Problem(ElementType type, Scaling scaling) implements OperatorCase.Problem {
    @Override
    public Map<String, Long> draw(Map<String, Long> axes, RandomGenerator random) {
      long elements = axes.get("elements");
      var n = new HashMap<String, Long>();
      n.put("V", elements);
      n.put("M", 1L + random.nextInt(MOST_ROWS));
      // Where single elements are accessed, K is odd: no other access would do.
      n.put("K", elements == 1 ? 1L + 2 * random.nextInt(MOST_COLUMNS / 2)
          : elements * (1 + random.nextInt(MOST_COLUMNS / (int) elements)));
      for (var stride : List.of("X_s", "Y_s")) n.put(stride, n.get("K") + elements * random.nextInt(MOST_GAP));
      for (var stride : List.of("F_r", "F_c")) n.put(stride, 1L + random.nextInt(MOST_ROWS));
      return n;
    }

    @Override
    public LaunchSequence prepare(Map<String, Long> n) {
      var x = matrix(n, "X");
      var y = matrix(n, "Y");
      return switch (scaling) {
        case TENSOR -> MatrixQuantizer.tensor(type, x, y, new Tensor("Factor", 0, List.of(1L), List.of(1L)));
        case ROW -> MatrixQuantizer.rows(type, x, y,
            new Tensor("Factor", 0, List.of(n.get("M")), List.of(n.get("F_r"))));
        case ROW_BLOCKS, SQUARES -> LaunchSequence.of(BlockQuantizer.prepare(type, scaling == Scaling.SQUARES, x, y,
            new Tensor("Factor", 0, List.of(scaling == Scaling.SQUARES ? blocks(n.get("M")) : n.get("M"),
                blocks(n.get("K"))), List.of(n.get("F_r"), n.get("F_c")))));
      };
    }

    private static long blocks(long extent) {
      return Math.ceilDiv(extent, (long) BlockQuantizer.BLOCK);
    }

    private static Tensor matrix(Map<String, Long> n, String name) {
      return new Tensor(name, 0, List.of(n.get("M"), n.get("K")), List.of(n.get(name + "_s"), 1L));
    }
  }
}
