package tilewright.simulator.tcgen05;

import java.util.function.IntBinaryOperator;
import tilewright.simulator.arithmetic.FloatMath;

/**
 * The reductions of {@code tcgen05.ld.red} over the columns that a thread loads (PTX ISA, tcgen05.ld): those of
 * {@code min} and {@code max}, which leave a NaN out where {@code .NaN} is not given, of magnitudes with {@code .abs}.
 */
public enum TensorReduction {
  MIN_S32(Math::min),
  MAX_S32(Math::max),
  MIN_U32((a, b) -> Integer.compareUnsigned(a, b) <= 0 ? a : b),
  MAX_U32((a, b) -> Integer.compareUnsigned(a, b) >= 0 ? a : b),
  MIN(floats(FloatMath::min)),
  MAX(floats(FloatMath::max)),
  MIN_NAN(floats(FloatMath::minNaN)),
  MAX_NAN(floats(FloatMath::maxNaN)),
  MIN_ABS(magnitudes(MIN)),
  MAX_ABS(magnitudes(MAX)),
  MIN_ABS_NAN(magnitudes(MIN_NAN)),
  MAX_ABS_NAN(magnitudes(MAX_NAN));

  private static final int MAGNITUDE = Integer.MAX_VALUE;

  private final IntBinaryOperator operation;

  TensorReduction(IntBinaryOperator operation) {
    this.operation = operation;
  }

  private interface OfFloats {
    float apply(float a, float b);
  }

  private static IntBinaryOperator floats(OfFloats operation) {
    return (a, b) -> Float.floatToRawIntBits(operation.apply(Float.intBitsToFloat(a), Float.intBitsToFloat(b)));
  }

  private static IntBinaryOperator magnitudes(TensorReduction of) {
    return (a, b) -> of.operation.applyAsInt(a & MAGNITUDE, b & MAGNITUDE);
  }

  /** The reduction of FP32 numbers, or of their magnitudes. */
  public static TensorReduction ofFloats(boolean largest, boolean magnitudes, boolean keepsNan) {
    if (magnitudes) return keepsNan ? largest ? MAX_ABS_NAN : MIN_ABS_NAN : largest ? MAX_ABS : MIN_ABS;
    return keepsNan ? largest ? MAX_NAN : MIN_NAN : largest ? MAX : MIN;
  }

  /** The bits of one column's number, reduced alone. */
  int first(int bits) {
    return operation.applyAsInt(bits, bits);
  }

  /** The bits of the reduction of what came before and a column's number. */
  int next(int before, int bits) {
    return operation.applyAsInt(before, bits);
  }
}
