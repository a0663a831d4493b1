package tilewright.reference;

import tilewright.numerics.ElementType;

/** The arithmetic of a computation by GEMMs: accumulators, operands between two GEMMs, and results. */
interface Precision {
  /** FP64 throughout: nothing is rounded to less. */
  Precision FP64 = new Precision() {
    @Override
    public double add(double sum, double x, double y) {
      return sum + x * y;
    }

    @Override
    public double accumulator(double value) {
      return value;
    }

    @Override
    public double operand(double value) {
      return value;
    }

    @Override
    public double result(double value) {
      return value;
    }
  };

  /** Accumulators in FP32; operands and results of {@code type}, as on tensor cores. */
  static Precision fp32(ElementType type) {
    return fp32(type, 0, type);
  }

  /**
   * Accumulators in FP32; operands and results of different types.
   *
   * @param exponent of the power of two by which operands are multiplied before they are rounded, and divided after
   */
  static Precision fp32(ElementType operands, int exponent, ElementType results) {
    double unit = Math.scalb(1.0, -exponent);
    return new Precision() {
      @Override
      public double add(double sum, double x, double y) {
        return Math.fma((float) x, (float) y, (float) sum);
      }

      @Override
      public double accumulator(double value) {
        return (float) value;
      }

      @Override
      public double operand(double value) {
        return operands.round(value / unit) * unit;
      }

      @Override
      public double result(double value) {
        return results.round(value);
      }
    };
  }

  /** One step of a GEMM: sum + x·y. */
  double add(double sum, double x, double y);

  /** The result of an operation on accumulators, rounded to their type. */
  double accumulator(double value);

  /** A value rounded to the type of a GEMM's operands. */
  double operand(double value);

  /** A value rounded to the type of the computation's results. */
  double result(double value);

  /** One element of a GEMM: the dot product of two vectors. */
  default double dot(double[] x, double[] y) {
    double sum = 0;
    for (int i = 0; i < x.length; i++) sum = add(sum, x[i], y[i]);
    return sum;
  }

  /** One rank-1 step of a GEMM: adds factor · x to a row of accumulators. */
  default void addRow(double[] sums, double factor, double[] x) {
    for (int i = 0; i < x.length; i++) sums[i] = add(sums[i], factor, x[i]);
  }
}
