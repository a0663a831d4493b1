package tilewright.sm100;

import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import tilewright.sm100.atom.MmaFormat;
import tilewright.sm100.atom.MmaKind;

/**
 * A format that numbers are quantized to: elements of eight bits or fewer, and scales of blocks of neighbours where the
 * kind has them.
 *
 * @param kind the multiplication's kind, which defines the scales
 * @param rule the rounding of scales that are powers of two
 */
public record NarrowFormat(MmaKind kind, MmaFormat element, ScaleRule rule) {
  private static final int UE8M0_BIAS = 127;
  private static final byte UE8M0_NAN = (byte) 0xFF;
  private static final byte UE4M3_NAN = 0x7F;
  private static final NarrowNumbers UE4M3 = NarrowNumbers.of(MmaFormat.E4M3);
  /** The least factor for which a block's unit and its reciprocal are normal FP32 numbers. */
  private static final float LEAST_FACTOR = 0x1p-100f;

  public NarrowFormat {
    NarrowNumbers.of(element);
  }

  /** Creates a format whose scales are those of the OCP standard. */
  public NarrowFormat(MmaKind kind, MmaFormat element) {
    this(kind, element, ScaleRule.OCP);
  }

  /** The formats that have names: {@code mxf8}, {@code mxf6} (of e4m3 and e2m3), {@code mxf4}, {@code nvf4} … */
  public static Map<String, NarrowFormat> named() {
    var all = new LinkedHashMap<String, NarrowFormat>();
    all.put("mxf8", new NarrowFormat(MmaKind.MXF8F6F4, MmaFormat.E4M3));
    all.put("mxf8_e5m2", new NarrowFormat(MmaKind.MXF8F6F4, MmaFormat.E5M2));
    all.put("mxf6", new NarrowFormat(MmaKind.MXF8F6F4, MmaFormat.E2M3));
    all.put("mxf6_e3m2", new NarrowFormat(MmaKind.MXF8F6F4, MmaFormat.E3M2));
    all.put("mxf4", new NarrowFormat(MmaKind.MXF4, MmaFormat.E2M1));
    all.put("nvf4", new NarrowFormat(MmaKind.NVF4, MmaFormat.E2M1));
    return all;
  }

  /** One of {@link #named()}. */
  public static NarrowFormat named(String name) {
    var all = named();
    if (!all.containsKey(name)) {
      throw new IllegalArgumentException("no format is called " + name + ": " + String.join(" or ", all.keySet()));
    }
    return all.get(name);
  }

  /** Returns this format with another rule. */
  public NarrowFormat scaledBy(ScaleRule other) {
    return new NarrowFormat(kind, element, other);
  }

  /** Whether there is a factor of the whole matrix, because scales have too few exponents. */
  public boolean hasFactor() {
    return kind == MmaKind.NVF4;
  }

  /**
   * The factor of a whole matrix: with it the block of the largest magnitude has the largest scale; no less than
   * 2^-100. One where the format has none.
   *
   * @param largest finite magnitude of the matrix
   */
  public float factor(float largest) {
    return hasFactor() ? Math.max(largest / factorDivisor(), LEAST_FACTOR) : 1;
  }

  /** The largest element times the largest scale. */
  float factorDivisor() {
    return (float) (NarrowNumbers.of(element).largest() * UE4M3.largest());
  }

  static float leastFactor() {
    return LEAST_FACTOR;
  }

  /** The largest finite magnitude of some numbers, 0 where there is none. */
  public static float largest(float[] values) {
    float largest = 0;
    for (float value : values) {
      if (Float.isFinite(value)) largest = Math.max(largest, Math.abs(value));
    }
    return largest;
  }

  /**
   * The scale of a block; NaN where the block has a number that is not finite, so that products with it are NaN.
   *
   * @param largest magnitude in the block
   * @param factor of the matrix
   */
  byte scale(float largest, float factor) {
    if (kind == MmaKind.NVF4) {
      float perElement = factor * (float) NarrowNumbers.of(element).largest();
      return Float.isFinite(largest) ? (byte) UE4M3.encode(largest / perElement) : UE4M3_NAN;
    }
    if (!Float.isFinite(largest)) return UE8M0_NAN;
    int exponent = Float.floatToIntBits(largest) + carry() >>> Float.PRECISION - 1;
    return (byte) Math.max(exponent - NarrowNumbers.of(element).largestExponent(), 0);
  }

  /** The number that, added to an FP32's bits, raises the exponent of one beyond the format's largest number. */
  int carry() {
    int fraction = (1 << Float.PRECISION - 1) - 1;
    int largest = Float.floatToIntBits((float) NarrowNumbers.of(element).largest()) & fraction;
    return rule == ScaleRule.COVERING ? fraction - largest : 0;
  }

  /** The number that a scale stands for. */
  double scaleValue(byte scale) {
    if (kind == MmaKind.NVF4) return scale == UE4M3_NAN ? Double.NaN : UE4M3.decode(scale);
    return scale == UE8M0_NAN ? Double.NaN : Math.scalb(1.0, (scale & 0xFF) - UE8M0_BIAS);
  }

  /** The factor by which a block's numbers are multiplied before they are rounded; 0 where all become 0. */
  float inverse(byte scale, float factor) {
    double value = scaleValue(scale);
    if (value == 0 || Double.isNaN(value)) return 0;
    return kind == MmaKind.NVF4 ? 1 / ((float) value * factor) : (float) (1 / value);
  }

  /** Returns a name such as {@code nvf4} or {@code mxf8f6f4 e2m1}. */
  @Override
  public String toString() {
    var name = kind.name().toLowerCase(Locale.ROOT);
    return kind.perContainer() > 1 ? name : name + " " + element.text();
  }
}
