package tilewright.cli.launch;

import java.math.BigInteger;
import java.util.Optional;
import java.util.regex.Pattern;
import tilewright.ptx.Launch.Argument;
import tilewright.ptx.PtxType;
import tools.jackson.databind.JsonNode;

/** Scalar arguments of {@code launch.json}: {@code {"u32": 5}}, {@code {"f32": 1.5}}, {@code {"b64": "0xFF"}}. */
final class LaunchScalar {
  private LaunchScalar() {}

  private static final Pattern INTEGER = Pattern.compile("-?(0[xX][0-9a-fA-F]{1,16}|0|[1-9][0-9]{0,19})");

  /** The argument, or nothing if the value is no number or does not fit the type. */
  static Optional<Argument> read(PtxType type, JsonNode value) {
    return bits(type, value).map(bits -> new Argument.Scalar(type, bits));
  }

  private static Optional<Long> bits(PtxType type, JsonNode value) {
    if (value.isNumber()) {
      return switch (type) {
        case F16 -> number(value).map(n -> Float.floatToFloat16(n.floatValue()))
            .filter(bits -> !Float.isInfinite(Float.float16ToFloat(bits))).map(Short::toUnsignedLong);
        case F32 -> number(value).map(Double::floatValue).filter(Float::isFinite)
            .map(n -> Integer.toUnsignedLong(Float.floatToRawIntBits(n)));
        case F64 -> number(value).map(Double::doubleToRawLongBits);
        case PRED, B128, BF16, F32X2, F16X2, BF16X2 -> Optional.empty();
        default -> integer(type, value);
      };
    }
    // Bits in hexadecimal: the only spelling of NaNs, bf16 and packed types, which JSON numbers cannot say.
    return value.isString() && type != PtxType.PRED && type != PtxType.B128 ? integer(type, value) : Optional.empty();
  }

  /** A number of JSON, or nothing if it is larger than any double. */
  private static Optional<Double> number(JsonNode value) {
    return Optional.of(Double.parseDouble(value.asString())).filter(Double::isFinite);
  }

  private static Optional<Long> integer(PtxType type, JsonNode value) {
    if (value.isNumber() && !value.isIntegralNumber()) return Optional.empty();
    var text = value.asString();
    if (!INTEGER.matcher(text).matches()) return Optional.empty();
    var integer = decode(text);
    var unsigned = BigInteger.ONE.shiftLeft(type.bits());
    var fits = integer.compareTo(unsigned.shiftRight(1).negate()) >= 0 && integer.compareTo(unsigned) < 0;
    return fits ? Optional.of(integer.mod(unsigned).longValue()) : Optional.empty();
  }

  private static BigInteger decode(String text) {
    var digits = text.replaceFirst("^(-?)0[xX]", "$1");
    return new BigInteger(digits, digits.equals(text) ? 10 : 16);
  }
}
