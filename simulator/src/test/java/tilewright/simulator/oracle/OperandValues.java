package tilewright.simulator.oracle;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Random;

/** Operands rich in edges: three arrays of 64-bit slots for each {@link OperandType}, always the same. */
final class OperandValues {
  static final int COUNT = 1024;
  private static final int OPERANDS = 3;

  private OperandValues() {}

  /** Where the slots of an operand begin. */
  static int offset(OperandType type, int operand) {
    return (type.ordinal() * OPERANDS + operand) * COUNT * Long.BYTES;
  }

  static byte[] bytes() {
    var bytes = ByteBuffer.allocate(OperandType.values().length * OPERANDS * COUNT * Long.BYTES)
        .order(ByteOrder.LITTLE_ENDIAN);
    for (var type : OperandType.values()) {
      var random = new Random(type.ordinal());
      for (int i = 0; i < COUNT; i++) {
        long a = value(type, random);
        // Neighbours and opposites make sums cancel and comparisons tie.
        long b = random.nextInt(8) == 0 ? a ^ random.nextInt(3) ^ (long) random.nextInt(2) << type.bits - 1
            : value(type, random);
        long c = value(type, random);
        bytes.putLong(offset(type, 0) + i * Long.BYTES, a);
        bytes.putLong(offset(type, 1) + i * Long.BYTES, b);
        bytes.putLong(offset(type, 2) + i * Long.BYTES, c);
      }
    }
    return bytes.array();
  }

  private static long value(OperandType type, Random random) {
    long value = switch (type) {
      case U16, U32, U64 -> integer(type.bits, random);
      case U16X2 -> integer(16, random) & 0xFFFF | integer(16, random) << 16;
      case F16 -> floating(5, 10, random);
      case BF16 -> floating(8, 7, random);
      case F16X2 -> floating(5, 10, random) | floating(5, 10, random) << 16;
      case BF16X2 -> floating(8, 7, random) | floating(8, 7, random) << 16;
      case F32 -> floating(8, 23, random);
      case F64 -> floating(11, 52, random);
      case F32X2 -> floating(8, 23, random) | floating(8, 23, random) << 32;
    };
    return type.bits == 64 ? value : value & (1L << type.bits) - 1;
  }

  private static long integer(int bits, Random random) {
    return switch (random.nextInt(5)) {
      case 0 -> random.nextInt(-2, 3);
      case 1 -> (1L << random.nextInt(bits)) + random.nextInt(-1, 2);
      case 2 -> random.nextInt(0, 70);
      case 3 -> random.nextLong() >> random.nextInt(64);
      default -> random.nextLong();
    };
  }

  private static long floating(int exponentBits, int fractionBits, Random random) {
    long sign = (long) random.nextInt(2) << exponentBits + fractionBits;
    int specials = (1 << exponentBits) - 1;
    int bias = specials >> 1;
    long fraction = switch (random.nextInt(4)) {
      case 0 -> 0;
      case 1 -> random.nextInt(8) & (1L << fractionBits) - 1;
      case 2 -> (1L << fractionBits) - 1 - random.nextInt(4);
      default -> random.nextLong() & (1L << fractionBits) - 1;
    };
    long exponent = switch (random.nextInt(10)) {
      case 0 -> 0;
      case 1 -> specials;
      case 2 -> 1 + random.nextInt(2);
      case 3 -> specials - 1 - random.nextInt(2);
      case 4 -> random.nextInt(specials + 1);
      case 5 -> Math.min(specials - 1, bias + random.nextInt(66));
      // A few halves and quarters, where rounding to an integer ties.
      case 6 -> {
        fraction &= -1L << fractionBits - 3;
        yield bias + random.nextInt(-2, 3);
      }
      default -> bias + random.nextInt(-12, 13);
    };
    return sign | exponent << fractionBits | fraction;
  }
}
