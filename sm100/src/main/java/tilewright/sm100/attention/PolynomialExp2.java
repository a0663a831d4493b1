package tilewright.sm100.attention;

import java.util.List;
import tilewright.kernel.F32;
import tilewright.kernel.Scope;
import tilewright.ptx.Operand;
import tilewright.ptx.PtxType;
import tilewright.sm100.atom.F32x2;

/**
 * 2^x without the exponent unit: x = n + f with n = ⌊x⌋, a polynomial of degree 4 for 2^f, and n added to its exponent
 * (Cody and Waite, 1980; coefficients of FlashAttention-4, section 3.1). The relative error is at most 3.05·10⁻⁶ for x
 * from −126 to 8, of every FP32 value in between; below, results are less than 2⁻¹²⁵, and 0 from −127 on. Degree 3
 * would do for 16-bit probabilities, but the logarithms of their sums would be off by up to 9·10⁻⁵.
 */
public final class PolynomialExp2 {
  private static final float LEAST = -127;
  /** 1.5·2²³, where neighbouring FP32 values are 1 apart: adding it leaves ⌊x⌋ in the lowest bits. */
  private static final float INTEGERS = 0x1.8p23f;
  private static final int MANTISSA_BITS = 23;
  /** Coefficients from the highest power down; the last is 1, so that whole powers are exact. */
  private static final List<Float> COEFFICIENTS = List.of(0.0134349382f, 0.0522253588f, 0.2412912548f,
      0.6930426955f, 1f);

  private PolynomialExp2() {}

  /** Computes 2^x of two values at once. */
  public static List<F32> of(Scope k, F32x2 logarithms) {
    var bounded = logarithms.singles().stream().map(x -> x.max(k.constant(LEAST))).toList();
    var x = F32x2.of(k, bounded.get(0), bounded.get(1));
    var shifted = x.plusDown(F32x2.constant(k, INTEGERS));
    var fraction = x.minus(shifted.minus(F32x2.constant(k, INTEGERS)));
    var power = F32x2.constant(k, COEFFICIENTS.getFirst());
    for (float c : COEFFICIENTS.subList(1, COEFFICIENTS.size())) {
      power = power.fma(fraction, F32x2.constant(k, c));
    }
    var whole = shifted.bits();
    var part = power.bits();
    return List.of(scaled(k, part.get(0), whole.get(0)), scaled(k, part.get(1), whole.get(1)));
  }

  /** Adds an integer to the exponent. */
  private static F32 scaled(Scope k, Operand.Register single, Operand.Register integer) {
    var exponent = k.newRegister(PtxType.B32);
    k.emit("shl.b32", exponent, integer, new Operand.Integer(MANTISSA_BITS));
    k.emit("add.s32", exponent, exponent, single);
    var result = k.newRegister(PtxType.F32);
    k.emit("mov.b32", result, exponent);
    return k.result(result);
  }
}
