package tilewright.reference;

import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;
import tilewright.numerics.ElementType;

/**
 * Element-wise functions by their definitions, but for what would cancel in FP64, and in FP32.
 * A NaN goes in and comes out.
 */
public enum PointwiseReference {
  ADD(x -> x[0] + x[1], x -> x[0] + x[1], true),
  RELU(x -> Math.max(x[0], 0), x -> Math.max(x[0], 0), true),
  SIGMOID(x -> sigmoid(x[0]), x -> sigmoid(x[0]), false) {
    @Override
    double rounded(ElementType type, float... x) {
      return sigmoid(type, x[0]);
    }
  },
  ELU(x -> x[0] > 0 ? x[0] : Math.expm1(x[0]), x -> x[0] > 0 ? x[0] : (float) Math.exp(x[0]) - 1, false) {
    @Override
    double rounded(ElementType type, float... x) {
      return x[0] > 0 ? x[0] : type.round(type.round(Math.exp(x[0])) - 1);
    }
  },
  GELU_ERF(x -> 0.5 * x[0] * erfc(-x[0] / Math.sqrt(2)),
      x -> 0.5f * x[0] * (1 + (float) erf(x[0] * (float) Math.sqrt(0.5))), false),
  GELU_TANH(x -> x[0] * sigmoid(Math.sqrt(8 / Math.PI) * (x[0] + 0.044715 * x[0] * x[0] * x[0])),
      x -> 0.5f * x[0] * (1 + (float) Math.tanh((float) Math.sqrt(2 / Math.PI)
          * (x[0] + 0.044715f * x[0] * x[0] * x[0]))), false) {
    @Override
    double rounded(ElementType type, float... x) {
      double cubic = type.round(type.round(x[0] * x[0]) * type.round(0.044715) + 1);
      double inner = type.round(type.round(cubic * x[0]) * type.round(Math.sqrt(8 / Math.PI)));
      return type.round(x[0] * sigmoid(type, inner));
    }
  },
  SWISH(x -> x[0] * sigmoid(x[0]), x -> x[0] * sigmoid(x[0]), false) {
    @Override
    double rounded(ElementType type, float... x) {
      return type.round(x[0] * sigmoid(type, x[0]));
    }
  },
  SWIGLU(x -> x[0] * sigmoid(x[0]) * x[1], x -> x[0] * sigmoid(x[0]) * x[1], false) {
    @Override
    double rounded(ElementType type, float... x) {
      return type.round(type.round(x[0] * sigmoid(type, x[0])) * x[1]);
    }
  },
  HARDSWISH(x -> x[0] * Math.clamp(x[0] + 3, 0, 6) / 6, x -> x[0] * Math.clamp(x[0] + 3, 0f, 6f) * (1 / 6f), false) {
    @Override
    double rounded(ElementType type, float... x) {
      double factor = Math.clamp(type.round(x[0] + 3), 0.0, 6.0);
      return type.round(type.round(x[0] * factor) * type.round(1 / 6f));
    }
  },
  HARDSHRINK(x -> Math.abs(x[0]) <= 0.5 ? 0 : x[0], x -> Math.abs(x[0]) <= 0.5f ? 0 : x[0], true);

  private static final double SERIES = 2.5;

  private final Exact exact;
  private final Single single;
  private final boolean oneRounding;

  private interface Exact {
    double of(double... x);
  }

  private interface Single {
    float of(float... x);
  }

  PointwiseReference(Exact exact, Single single, boolean oneRounding) {
    this.exact = exact;
    this.single = single;
    this.oneRounding = oneRounding;
  }

  /** Evaluates the definition in FP64. */
  public double exact(double... x) {
    return exact.of(x);
  }

  /** Evaluates the function in FP32. */
  public float single(float... x) {
    return single.of(x);
  }

  /** Evaluates with every operation rounded to the type; an operation with one rounding is evaluated in FP32. */
  double rounded(ElementType type, float... x) {
    return type.round(single.of(x));
  }

  /**
   * Y from the tensors of those names, all of one type and size.
   *
   * @param narrow whether every operation is rounded to the type, not only the result
   */
  public Reference of(ElementType type, boolean narrow, String... inputs) {
    return tensors -> {
      var x = Arrays.stream(inputs).map(tensors::get).toList();
      int n = x.getFirst().length;
      double[] exactly = IntStream.range(0, n)
          .mapToDouble(i -> exact.of(x.stream().mapToDouble(v -> v[i]).toArray())).toArray();
      double[] stepwise = IntStream.range(0, n)
          .mapToDouble(i -> narrow ? rounded(type, floats(x, i)) : type.round(single.of(floats(x, i)))).toArray();
      return List.of(new Expected("Y", exactly, stepwise, oneRounding));
    };
  }

  private static float[] floats(List<double[]> x, int i) {
    var values = new float[x.size()];
    for (int j = 0; j < values.length; j++) values[j] = (float) x.get(j)[i];
    return values;
  }

  private static double sigmoid(double x) {
    return 1 / (1 + Math.exp(-x));
  }

  private static float sigmoid(float x) {
    return 1 / (1 + (float) Math.exp(-x));
  }

  /** The sigmoid with every operation rounded to the type. */
  private static double sigmoid(ElementType type, double x) {
    return type.round(1 / type.round(1 + type.round(Math.exp(-x))));
  }

  static double erf(double x) {
    return Math.abs(x) > SERIES ? 1 - erfc(x) : series(x);
  }

  /** 1 - erf x: by the Taylor series of erf where that converges fast, a continued fraction elsewhere. */
  static double erfc(double x) {
    double t = Math.abs(x);
    if (!(t > SERIES)) return 1 - series(x);
    double fraction = 0;
    for (int n = 60; n > 0; n--) fraction = n / 2.0 / (t + fraction);
    double complement = t > 27 ? 0 : Math.exp(-t * t) / (Math.sqrt(Math.PI) * (t + fraction));
    return x < 0 ? 2 - complement : complement;
  }

  private static double series(double x) {
    double term = x;
    double sum = x;
    for (int n = 1; n < 60; n++) {
      term *= -x * x / n;
      sum += term / (2 * n + 1);
    }
    return sum * 2 / Math.sqrt(Math.PI);
  }
}
