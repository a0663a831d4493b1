package tilewright.reference;

import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import tilewright.numerics.ElementType;

/**
 * Sums of products by their definition, and in a kernel's own order with each addition rounded to the accumulator's
 * type. Between additions that lose digits the order decides the result, so nothing can be said about a kernel's error
 * from an addition in another order: a long sum of halves, one after the other, stops growing where a tree does not.
 * In the kernel's own order every rounding is known, and its result has to have the very bits.
 *
 * <p>Threads are paired as {@code shfl.sync.bfly} pairs them: 32 or fewer with masks from half of them down to 1, then
 * the warps' sums alike.
 */
public final class SumReference {
  private static final int WARP = 32;

  private final ElementType accumulator;
  private final List<double[]> factors;

  private SumReference(ElementType accumulator, List<double[]> factors) {
    this.accumulator = accumulator;
    this.factors = factors;
  }

  /**
   * Y = the sum over all elements of the product of the inputs, by blocks whose sums one more block adds in single
   * precision, each thread every so many-th of them.
   *
   * @param order by block and thread the elements it adds, in its order
   */
  public static Reference total(ElementType accumulator, List<String> inputs, Supplier<int[][][]> order) {
    return tensors -> {
      var threads = order.get();
      var sum = of(accumulator, inputs, tensors);
      double[] blocks = Arrays.stream(threads).mapToDouble(sum::paired).toArray();
      var single = new SumReference(ElementType.F32, List.of(blocks));
      int block = threads[0].length;
      var last = IntStream.range(0, block).mapToObj(t -> IntStream.iterate(t, i -> i < blocks.length, i -> i + block)
          .toArray()).toArray(int[][]::new);
      return List.of(new Expected("Y", new double[] {sum.exact(0, sum.factors.getFirst().length)},
          new double[] {accumulator.round(single.paired(last))}, true));
    };
  }

  /**
   * Y(m) = the sum over row m of X (M,N).
   *
   * @param order by thread of a row the columns it adds, in its order
   */
  public static Reference rows(ElementType accumulator, int rows, int columns, Supplier<int[][]> order) {
    return tensors -> List.of(of(accumulator, List.of("X"), tensors).rows(rows, columns, order.get()));
  }

  /**
   * Y(m) = the sum over row m of A (M,N), each element times that of its column in X (N).
   *
   * @param order by thread of a row the columns it adds, in its order
   */
  public static Reference products(ElementType accumulator, String a, String x, int rows, int columns,
      Supplier<int[][]> order) {
    return tensors -> {
      var repeated = IntStream.range(0, rows * columns).mapToDouble(i -> tensors.get(x)[i % columns]).toArray();
      return List.of(new SumReference(accumulator, List.of(tensors.get(a), repeated)).rows(rows, columns, order.get()));
    };
  }

  private Expected rows(int rows, int columns, int[][] threads) {
    return new Expected("Y", IntStream.range(0, rows).mapToDouble(m -> exact(m * columns, columns)).toArray(),
        IntStream.range(0, rows).mapToDouble(m -> paired(Arrays.stream(threads)
            .map(mine -> Arrays.stream(mine).map(i -> m * columns + i).toArray()).toArray(int[][]::new))).toArray(),
        true);
  }

  private static SumReference of(ElementType accumulator, List<String> inputs, Map<String, double[]> tensors) {
    return new SumReference(accumulator, inputs.stream().map(tensors::get).toList());
  }

  private double exact(int from, int count) {
    return IntStream.range(from, from + count)
        .mapToDouble(i -> factors.stream().mapToDouble(f -> f[i]).reduce(1, (a, b) -> a * b)).sum();
  }

  /** The threads' sums, added in pairs of threads and then of warps. */
  private double paired(int[][] threads) {
    double[] sums = Arrays.stream(threads).mapToDouble(this::stepwise).toArray();
    if (sums.length <= WARP) return butterfly(sums);
    return butterfly(IntStream.range(0, sums.length / WARP)
        .mapToDouble(w -> butterfly(Arrays.copyOfRange(sums, w * WARP, (w + 1) * WARP))).toArray());
  }

  private double butterfly(double[] sums) {
    for (int half = sums.length / 2; half > 0; half /= 2) {
      for (int i = 0; i < half; i++) sums[i] = accumulator.round((float) sums[i] + (float) sums[i + half]);
    }
    return sums[0];
  }

  /** Products are not rounded, as those of halves are not in FP32. */
  private double stepwise(int[] elements) {
    float sum = 0;
    for (int i : elements) {
      float other = factors.size() == 1 ? 1 : (float) factors.get(1)[i];
      sum = (float) accumulator.round(Math.fma((float) factors.getFirst()[i], other, sum));
    }
    return sum;
  }
}
