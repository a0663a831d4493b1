package tilewright.kernels.epilogue;

import tilewright.kernel.Element;
import tilewright.kernel.F32;

/** How values become one number; every order gives the same maxima, sums differ in rounding. */
public enum Reduction {
  SUM(0) {
    @Override
    F32 combine(F32 a, F32 b) {
      return a.plus(b);
    }

    @Override
    void into(Element result, F32 value) {
      result.atomicAdd(value);
    }
  },
  /** The largest; NaN where one is. */
  MAX(Float.NEGATIVE_INFINITY) {
    @Override
    F32 combine(F32 a, F32 b) {
      return a.max(b);
    }

    @Override
    void into(Element result, F32 value) {
      result.atomicMax(value);
    }
  },
  /** The largest magnitude; NaN where one is. */
  AMAX(0) {
    @Override
    F32 prepare(F32 value) {
      return value.magnitude();
    }

    @Override
    F32 combine(F32 a, F32 b) {
      return a.max(b);
    }

    @Override
    void into(Element result, F32 value) {
      result.atomicMax(value);
    }
  };

  private final float identity;

  Reduction(float identity) {
    this.identity = identity;
  }

  /** The neutral element, which a result begins with. */
  public float identity() {
    return identity;
  }

  F32 prepare(F32 value) {
    return value;
  }

  abstract F32 combine(F32 a, F32 b);

  /** Combines a value with an FP32 number in memory, atomically. */
  abstract void into(Element result, F32 value);
}
