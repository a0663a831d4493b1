package tilewright.simulator.oracle;

import java.util.Locale;

/** What an operand's bits stand for, which decides the values that are worth trying. */
enum OperandType {
  U16(16), U32(32), U64(64), F16(16), BF16(16), F16X2(32), BF16X2(32), F32(32), F64(64),
  F32X2(64), U16X2(32);

  final int bits;

  OperandType(int bits) {
    this.bits = bits;
  }

  static OperandType of(String name) {
    return valueOf(name.toUpperCase(Locale.ROOT));
  }
}
