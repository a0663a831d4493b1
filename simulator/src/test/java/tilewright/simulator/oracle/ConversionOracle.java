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
      case F32, F32X2 -> Format.F32;
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
    if (isFloat(from) && isFloat(to)) {
      return format(from).isNan(bits) && !saturate ? nan(format(to), format(from), bits)
          : toFloat(format(to), format(from), bits);
    }
    if (isFloat(from)) return toInteger(to, format(from), bits);
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

  /** Always clamps. NaN becomes zero; to 64 bits or from F64, the highest bit alone (recorded on an H200). */
  private long toInteger(PtxType to, Format from, long bits) {
    if (from.isNan(bits)) return to.bits() == 64 || from == Format.F64 ? 1L << to.bits() - 1 : 0;
    if (from.isInfinite(bits)) {
      var far = BigInteger.ONE.shiftLeft(70);
      return clamp(to, from.negative(bits) ? far.negate() : far).longValue();
    }
    return clamp(to, from.value(flush ? from.flush(bits) : bits).toInteger(mode)).longValue();
  }

  private boolean integral() {
    return modifiers.stream().anyMatch(m -> m.matches("r[nzmp]i"));
  }

  /** NaN in another format, as recorded on an H200: doubles and their neighbours keep sign and payload. */
  private long nan(Format to, Format from, long bits) {
    if (to == from && to != Format.F16 && !integral() && !flush) return bits;
    if (from == Format.BF16 && to == Format.F32 && !flush) return bits << 16;
    if (from != Format.F64 && to != Format.F64) return to.nan();
    long source = flush && from == Format.F32 ? from.nan() : bits;
    long payload = source & (1L << from.fractionBits) - 1;
    int wider = to.fractionBits - from.fractionBits;
    return (from.negative(source) ? to.sign() : 0) | to.infinity() | 1L << to.fractionBits - 1
        | (wider >= 0 ? payload << wider : payload >>> -wider);
  }

  long toFloat(Format to, Format from, long bits) {
    // As recorded on an H200, the conversion to F16 takes subnormals as they are.
    long source = flush && from == Format.F32 && to != Format.F16 ? from.flush(bits) : bits;
    long result;
    if (from.isNan(source)) {
      result = to.nan();
    } else if (from.isInfinite(source)) {
      result = to.infinity() | (from.negative(source) ? to.sign() : 0);
    } else {
      var exact = from.value(source);
      if (integral()) exact = Fraction.of(exact.toInteger(mode));
      result = to.round(exact, from.negative(source), mode);
    }
    if (flush && to == Format.F32) result = to.flush(result);
    if (saturate) result = FloatOracle.saturate(to, result);
    return modifiers.contains("relu") && to.negative(result) && !to.isNan(result) ? 0 : result;
  }
}
