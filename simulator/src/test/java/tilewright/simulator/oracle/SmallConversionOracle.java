package tilewright.simulator.oracle;

import java.util.List;
import java.util.Optional;

/** {@code cvt} between pairs of eight-bit floats and pairs of halves or two FP32 numbers (PTX ISA, cvt). */
record SmallConversionOracle(SmallFormat format, boolean expands, boolean halves, boolean relu) {
  private static final String TYPE = "(e4m3|e5m2)x2";

  static Optional<SmallConversionOracle> of(List<String> modifiers) {
    return modifiers.stream().filter(m -> m.matches(TYPE)).findFirst()
        .map(type -> new SmallConversionOracle(SmallFormat.of(type), modifiers.getLast().equals(type),
            modifiers.getLast().equals("f16x2"), modifiers.contains("relu")));
  }

  long convert(long[] x) {
    if (expands) return half(x[0] & 0xFF) | half(x[0] >> 8 & 0xFF) << 16;
    if (halves) return code(single(x[0] >> 16)) << 8 | code(single(x[0]));
    return code(Float.intBitsToFloat((int) x[0])) << 8 | code(Float.intBitsToFloat((int) x[1]));
  }

  private static float single(long half) {
    return Float.float16ToFloat((short) half);
  }

  private double clamped(double value) {
    return relu && !(value > 0) && !Double.isNaN(value) ? 0 : value;
  }

  private long half(long code) {
    double value = clamped(format.value((int) code));
    return Double.isNaN(value) ? Format.F16.nan() : Float.floatToFloat16((float) value) & 0xFFFF;
  }

  private long code(double value) {
    return format.nearest(clamped(value));
  }
}
