package tilewright.simulator.compiler.arithmetic;

import tilewright.ptx.PtxType;
import tilewright.simulator.arithmetic.FloatMath;
import tilewright.simulator.arithmetic.HalfClamps;
import tilewright.simulator.compiler.code.LaneCode;
import tilewright.simulator.compiler.code.Unsupported;

/** The modifiers {@code .ftz}, {@code .sat} and {@code .relu} of operands and results. */
record Clamps(boolean flush, boolean saturate, boolean relu) {

  /** The ending of the methods for a 16-bit type or a pair of them. */
  static String half(PtxType type) {
    return switch (type) {
      case F16 -> "F16";
      case BF16 -> "Bf16";
      case F16X2 -> "F16x2";
      case BF16X2 -> "Bf16x2";
      default -> throw new Unsupported("a modifier of " + type.text());
    };
  }

  /** Refuses modifiers that the type does not have. */
  void require(PtxType type) {
    boolean single = type == PtxType.F32 || type == PtxType.F64;
    if (relu && single) throw new Unsupported(".relu of " + type.text());
    if (flush && (type == PtxType.BF16 || type == PtxType.BF16X2)) {
      throw new Unsupported(".ftz of " + type.text());
    }
  }

  void input(LaneCode code, PtxType type) {
    if (flush) apply(code, type, "flush");
  }

  void output(LaneCode code, PtxType type) {
    if (flush) apply(code, type, "flush");
    if (saturate) apply(code, type, "saturate");
    if (relu) apply(code, type, "relu");
  }

  private static void apply(LaneCode code, PtxType type, String name) {
    switch (type) {
      case F32 -> code.call(FloatMath.class, name, float.class, float.class);
      case F64 -> code.call(FloatMath.class, name, double.class, double.class);
      default -> code.call(HalfClamps.class, name + half(type), int.class, int.class);
    }
  }
}
