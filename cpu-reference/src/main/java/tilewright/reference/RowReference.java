package tilewright.reference;

import java.util.Arrays;
import java.util.List;
import java.util.function.UnaryOperator;
import tilewright.numerics.ElementType;

/** Functions of the rows of a matrix X (M,N) by their definitions, and in FP32. */
public final class RowReference {
  private RowReference() {}

  /** A row of results from a row of values. */
  private interface Row extends UnaryOperator<double[]> {}

  /** @param shifted whether the row's largest value is subtracted first, as a kernel does that cannot overflow */
  public static Reference softmax(ElementType type, int columns, boolean shifted) {
    return tensors -> byRow(type, tensors.get("X"), columns, x -> {
      double max = Arrays.stream(x).reduce(Double.NEGATIVE_INFINITY, Math::max);
      double[] e = Arrays.stream(x).map(v -> Math.exp(v - (shifted ? max : 0))).toArray();
      double sum = Arrays.stream(e).sum();
      return Arrays.stream(e).map(v -> v / sum).toArray();
    }, x -> {
      double max = Arrays.stream(x).reduce(Double.NEGATIVE_INFINITY, Math::max);
      double[] e = Arrays.stream(x).map(v -> (float) Math.exp((float) (v - (shifted ? max : 0)))).toArray();
      float sum = sum(e, ElementType.F32);
      return Arrays.stream(e).map(v -> (float) v / sum).toArray();
    });
  }

  /**
   * Layer normalisation with weights W (N) and bias B (N); the stepwise result sums in the accumulator's type. The mean
   * has two parts, of which the second is the rounding error of the first: with a rounded mean alone the error rule
   * would allow a large mean any error.
   */
  public static Reference layerNorm(ElementType type, ElementType accumulator, int columns, float epsilon) {
    return tensors -> byRow(type, tensors.get("X"), columns, x -> {
      double mean = Arrays.stream(x).sum() / columns;
      double variance = Arrays.stream(x).map(v -> (v - mean) * (v - mean)).sum() / columns;
      return each(x, i -> (x[i] - mean) / Math.sqrt(variance + epsilon) * tensors.get("W")[i] + tensors.get("B")[i]);
    }, x -> {
      // Divided first, an FP32 sum overflows only where the mean does.
      int scale = accumulator == ElementType.F32 ? 2 * Math.max(1, Integer.highestOneBit(columns)) : 1;
      float mean = (float) accumulator.round(
          sum(each(x, i -> x[i] / scale), accumulator) / ((float) columns / scale));
      var differences = each(x, i -> (float) x[i] - mean);
      float sum = sum(differences, accumulator);
      float lacking = (float) accumulator.round(sum / columns);
      float variance = (float) accumulator.round(Math.max(0, (float) ((double) -lacking * sum
          + sum(each(x, i -> differences[i] * differences[i]), accumulator))) / columns);
      float factor = 1 / (float) Math.sqrt(variance + epsilon);
      return each(x, i -> ((float) differences[i] - lacking) * factor * (float) tensors.get("W")[i]
          + (float) tensors.get("B")[i]);
    });
  }

  /** RMS normalisation with weights W (N); the stepwise result sums in the accumulator's type. */
  public static Reference rmsNorm(ElementType type, ElementType accumulator, int columns, float epsilon) {
    return tensors -> byRow(type, tensors.get("X"), columns, x -> {
      double square = Arrays.stream(x).map(v -> v * v).sum() / columns;
      return each(x, i -> x[i] / Math.sqrt(square + epsilon) * tensors.get("W")[i]);
    }, x -> {
      float square = (float) accumulator.round(sum(each(x, i -> x[i] * x[i]), accumulator) / columns);
      float factor = 1 / (float) Math.sqrt(square + epsilon);
      return each(x, i -> (float) x[i] * factor * (float) tensors.get("W")[i]);
    });
  }

  private interface Element {
    double at(int i);
  }

  private static double[] each(double[] x, Element f) {
    var y = new double[x.length];
    for (int i = 0; i < x.length; i++) y[i] = f.at(i);
    return y;
  }

  private static float sum(double[] x, ElementType accumulator) {
    double sum = 0;
    for (double v : x) sum = accumulator.round(sum + v);
    return (float) sum;
  }

  private static List<Expected> byRow(ElementType type, double[] x, int columns, Row exact, Row single) {
    var exactly = new double[x.length];
    var stepwise = new double[x.length];
    for (int at = 0; at < x.length; at += columns) {
      var row = Arrays.copyOfRange(x, at, at + columns);
      System.arraycopy(exact.apply(row), 0, exactly, at, columns);
      var rounded = Arrays.stream(single.apply(row)).map(type::round).toArray();
      System.arraycopy(rounded, 0, stepwise, at, columns);
    }
    return List.of(Expected.rounded("Y", exactly, stepwise));
  }
}
