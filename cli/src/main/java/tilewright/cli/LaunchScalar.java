package tilewright.cli;

import java.math.BigInteger;
import java.util.Optional;
import tilewright.ptx.Launch.Argument;
import tilewright.ptx.PtxType;
import tools.jackson.databind.JsonNode;

/** Scalar arguments of {@code launch.json}: {@code {"u32": 5}}, {@code {"f32": 1.5}}, {@code {"b64": "0xFF"}}. */
final class LaunchScalar {
  private LaunchScalar() {}

  /** The argument, or nothing if the node has no PTX type as key or the number does not fit the type. */
  static Optional<Argument> read(JsonNode node) {
    return node.properties().stream()
        .flatMap(e -> PtxType.parse(e.getKey()).stream().flatMap(type -> bits(type, e.getValue()).stream()
            .map(bits -> (Argument) new Argument.Scalar(type, bits))))
        .findFirst();
  }

  private static Optional<Long> bits(PtxType type, JsonNode value) {
    if (value.isNumber()) {
      return switch (type) {
        case F16 -> Optional.of(Short.toUnsignedLong(Float.floatToFloat16(value.floatValue())));
        case F32 -> Optional.of(Integer.toUnsignedLong(Float.floatToRawIntBits(value.floatValue())));
        case F64 -> Optional.of(Double.doubleToRawLongBits(value.doubleValue()));
        case PRED, B128, BF16, F32X2, F16X2, BF16X2 -> Optional.empty();
        default -> integer(type, value);
      };
    }
    // Bits in hexadecimal: the only spelling of NaNs, bf16 and packed types, which JSON numbers cannot say.
    return value.isString() && type != PtxType.PRED && type != PtxType.B128 ? integer(type, value) : Optional.empty();
  }

  private static Optional<Long> integer(PtxType type, JsonNode value) {
    try {
      var integer = value.isIntegralNumber() ? value.bigIntegerValue() : decode(value.stringValue());
      var unsigned = BigInteger.ONE.shiftLeft(type.bits());
      var fits = integer.compareTo(unsigned.shiftRight(1).negate()) >= 0 && integer.compareTo(unsigned) < 0;
      return fits ? Optional.of(integer.mod(unsigned).longValue()) : Optional.empty();
    } catch (NumberFormatException | tools.jackson.core.JacksonException _) {
      return Optional.empty();
    }
  }

  private static BigInteger decode(String text) {
    return text.startsWith("0x") ? new BigInteger(text.substring(2), 16) : new BigInteger(text);
  }
}
