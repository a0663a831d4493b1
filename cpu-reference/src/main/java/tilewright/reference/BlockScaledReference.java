package tilewright.reference;

import java.util.List;
import java.util.stream.IntStream;
import tilewright.numerics.BlockScaledModel;
import tilewright.numerics.ElementType;
import tilewright.numerics.Rounding;
import tilewright.numerics.ScaledFactors;

/**
 * C = alpha·A·Bᵀ for numbers of eight bits or fewer with block scales, results in the order of C's indices (M,N), m
 * fastest.
 *
 * @param a rows of A; likewise b
 * @param output type of C
 */
public record BlockScaledReference(BlockScaledModel model, List<ScaledFactors> a, List<ScaledFactors> b,
    ElementType output, float alpha) {

  public BlockScaledReference {
    a = List.copyOf(a);
    b = List.copyOf(b);
  }

  /** Computes the result in FP64 from the exact inputs. */
  public double[] exact() {
    return each((x, y) -> {
      double sum = 0;
      for (int k = 0; k < x.count(); k++) sum += x.scaled(k) * y.scaled(k);
      return alpha * sum;
    });
  }

  /** Sums as {@code tcgen05.mma} does, in the order of k, and multiplies the result by alpha in FP32. */
  public double[] inTensorMemory() {
    return each((x, y) -> output.toDouble(output.fromDouble(alpha * model.dot(0, x, y), Rounding.NEAREST_EVEN)));
  }

  private interface Dot {
    double of(ScaledFactors x, ScaledFactors y);
  }

  private double[] each(Dot dot) {
    int m = a.size();
    return IntStream.range(0, m * b.size()).parallel().mapToDouble(i -> dot.of(a.get(i % m), b.get(i / m))).toArray();
  }
}
