package tilewright.simulator.oracle;

import java.math.BigInteger;
import java.util.List;
import tilewright.ptx.PtxType;
import tilewright.simulator.oracle.Format.Rounding;

/** {@code cvt} on one value by exact numbers (PTX ISA, cvt). */
final class ConversionOracle {
  private final List<String> modifiers;
  private final Rounding mode;
  private final boolean flush;
  private final boolean saturate;

  ConversionOracle(List<String> modifiers) {
    this.modifiers = modifiers;
    mode = FloatOracle.rounding(modifiers);
    flush = modifiers.contains("ftz");
    saturate = modifiers.contains("sat");
  }

  static Format format(PtxType type) {
    return switch (type) {
      case F16, F16X2 -> Format.F16;
      case BF16, BF16X2 -> Format.BF16;
      case F32 -> Format.F32;
      case F64 -> Format.F64;
      default -> throw new IllegalArgumentException("no format of " + type.text());
    };
  }

  static boolean isFloat(PtxType type) {
    return type.name().contains("F") ;
  }

  static boolean isSigned(PtxType type) {
    return type.name().startsWith("S");
  }

  static BigInteger integer(PtxType type, long bits) {
    long shifted = type.bits() == 64 ? bits : bits << 64 - type.bits();
    var value = BigInteger.valueOf(shifted).shiftRight(64 - type.bits());
    return isSigned(type) || value.signum() >= 0 ? value : value.add(BigInteger.ONE.shiftLeft(type.bits()));
  }

  long convert(PtxType to, PtxType from, long bits) {
    if (isFloat(from)) return isFloat(to) ? toFloat(format(to), format(from), bits) : toInteger(to, format(from), bits);
    var value = integer(from, bits);
    if (!isFloat(to)) return (saturate ? clamp(to, value) : value).longValue();
    long rounded = format(to).round(Fraction.of(value), false, mode);
    return saturate ? FloatOracle.saturate(format(to), rounded) : rounded;
  }

  static BigInteger clamp(PtxType type, BigInteger value) {
    int bits = type.bits() - (isSigned(type) ? 1 : 0);
    var most = BigInteger.ONE.shiftLeft(bits).subtract(BigInteger.ONE);
    var least = isSigned(type) ? most.not() : BigInteger.ZERO;
    return value.max(least).min(most);
  }

  /** Always clamps. NaN becomes zero, in 64 bits the highest bit alone. */
  private long toInteger(PtxType to, Format from, long bits) {
    if (from.isNan(bits)) return to.bits() == 64 ? Long.MIN_VALUE : 0;
    if (from.isInfinite(bits)) {
      var far = BigInteger.ONE.shiftLeft(70);
      return clamp(to, from.negative(bits) ? far.negate() : far).longValue();
    }
    return clamp(to, from.value(flush ? from.flush(bits) : bits).toInteger(mode)).longValue();
  }

  long toFloat(Format to, Format from, long bits) {
    long source = flush && from == Format.F32 ? from.flush(bits) : bits;
    boolean integral = modifiers.stream().anyMatch(m -> m.matches("r[nzmp]i"));
    long result;
    if (from.isNan(source)) {
      result = to == Format.F64 && from == Format.F64 ? source | 1L << 51 : to.nan();
      if (to == from && !integral && !saturate && !flush) result = bits;
    } else if (from.isInfinite(source)) {
      result = to.infinity() | (from.negative(source) ? to.sign() : 0);
    } else {
      var exact = from.value(source);
      if (integral) exact = Fraction.of(exact.toInteger(mode));
      result = to.round(exact, from.negative(source), mode);
    }
    if (flush && to == Format.F32) result = to.flush(result);
    if (saturate) result = FloatOracle.saturate(to, result);
    return modifiers.contains("relu") && to.negative(result) && !to.isNan(result) ? 0 : result;
  }
}
