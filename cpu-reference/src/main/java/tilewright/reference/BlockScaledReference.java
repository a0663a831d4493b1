package tilewright.reference;

import java.util.List;
import java.util.stream.IntStream;
import tilewright.numerics.BlockScaledModel;
import tilewright.numerics.ElementType;
import tilewright.numerics.Rounding;
import tilewright.numerics.ScaledFactors;

/**
 * C = alpha·A·Bᵀ for numbers of eight bits or fewer with block scales, results in the order of C's indices (M,N,L), m
 * fastest.
 *
 * @param a rows of A, batch after batch; likewise b
 * @param output type of C
 */
public record BlockScaledReference(BlockScaledModel model, List<ScaledFactors> a, List<ScaledFactors> b, int batch,
    ElementType output, float alpha) {

  public BlockScaledReference {
    a = List.copyOf(a);
    b = List.copyOf(b);
    if (batch < 1 || a.size() % batch != 0 || b.size() % batch != 0) {
      throw new IllegalArgumentException(a.size() + " rows of A and " + b.size() + " of B are not " + batch
          + " batches");
    }
  }

  /** In double precision from the exact inputs. */
  public double[] exact() {
    return each((x, y) -> {
      double sum = 0;
      for (int k = 0; k < x.count(); k++) sum += x.scaled(k) * y.scaled(k);
      return alpha * sum;
    });
  }

  /** As a kernel that sums by {@code tcgen05.mma} in the order of k, and multiplies that by alpha in singles. */
  public double[] inTensorMemory() {
    return each((x, y) -> output.toDouble(output.fromDouble(alpha * model.dot(0, x, y), Rounding.NEAREST_EVEN)));
  }

  private interface Dot {
    double of(ScaledFactors x, ScaledFactors y);
  }

  private double[] each(Dot dot) {
    int m = a.size() / batch;
    int n = b.size() / batch;
    return IntStream.range(0, m * n * batch).parallel().mapToDouble(i ->
        dot.of(a.get(i % m + m * (i / (m * n))), b.get(i / m))).toArray();
  }
}
