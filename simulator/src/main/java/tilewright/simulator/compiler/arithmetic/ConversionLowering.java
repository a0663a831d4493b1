package tilewright.simulator.compiler.arithmetic;

import java.util.List;
import java.util.Map;
import tilewright.ptx.Instruction;
import tilewright.ptx.PtxType;
import tilewright.simulator.arithmetic.Conversions;
import tilewright.simulator.arithmetic.FloatMath;
import tilewright.simulator.arithmetic.HalfClamps;
import tilewright.simulator.compiler.code.Flow;
import tilewright.simulator.compiler.code.LaneCode;
import tilewright.simulator.compiler.code.Reg;
import tilewright.simulator.compiler.code.Unsupported;
import tilewright.simulator.compiler.lowering.Lowering;
import tilewright.simulator.compiler.lowering.Modifiers;

/** {@code cvt} in its scalar and packing forms (PTX ISA, cvt). */
public final class ConversionLowering {
  private static final Class<?> I = int.class;
  private static final Class<?> D = double.class;
  private static final Class<?> F = float.class;
  private static final Map<String, Integer> ROUNDINGS =
      Map.of("rn", Conversions.NEAREST_EVEN, "rz", Conversions.ZERO, "rm",
      Conversions.DOWN, "rp", Conversions.UP, "rna", Conversions.NEAREST_AWAY);
  private static final Map<String, Integer> INTEGRAL =
      Map.of("rni", Conversions.NEAREST_EVEN, "rzi", Conversions.ZERO, "rmi",
      Conversions.DOWN, "rpi", Conversions.UP);

  private ConversionLowering() {}

  public static void lower(Instruction i, Modifiers m, Lowering c) {
    boolean flush = m.take("ftz");
    boolean saturate = m.take("sat");
    var rounding = m.takeOne(ROUNDINGS.keySet());
    var integral = m.takeOne(INTEGRAL.keySet());
    if (m.take("pack")) {
      NarrowingLowering.integers(i, m, c, saturate);
      return;
    }
    boolean relu = m.take("relu");
    boolean finite = m.take("satfinite");
    if (m.take("tf32")) {
      NarrowingLowering.tf32(i, m, c, rounding.orElse(""), relu, finite);
      return;
    }
    boolean random = m.take("rs");
    var small = m.takeMatching(SmallFloatLowering.TYPE);
    if (small.isPresent()) {
      SmallFloatLowering.lower(i, m, c, small.get(), random ? "rs" : rounding.orElse(""), relu, finite);
      return;
    }
    var to = m.type();
    var from = m.type();
    m.requireNone();
    requireNumbers(to, from);
    if (random) {
      SmallFloatLowering.randomHalves(i, c, to, from, relu, finite);
      return;
    }
    if (relu || finite || to == PtxType.F16X2 || to == PtxType.BF16X2) {
      if (from != PtxType.F32 || saturate || flush) {
        throw new Unsupported("cvt to " + to.text() + " from " + from.text());
      }
      NarrowingLowering.halves(i, c, to, ROUNDINGS.get(rounding.orElse("rn")), relu, finite);
      return;
    }
    int mode = rounding.map(ROUNDINGS::get).or(() -> integral.map(INTEGRAL::get)).orElse(Conversions.NEAREST_EVEN);
    lower(i, c, to, from, mode, integral.isPresent(), saturate, flush);
  }

  private static void lower(Instruction i, Lowering c, PtxType to, PtxType from, int mode, boolean integral,
      boolean saturate, boolean flush) {
    var operands = c.operands(i, 2);
    var source = c.source(operands.get(1));
    var destination = c.destination(operands.get(0), to);
    boolean moves = !FloatLowering.isFloat(from) && !FloatLowering.isFloat(to) && !saturate;
    c.lane(List.of(source), List.of(destination), moves ? Flow.moved() : Flow.MIXED, code -> {
      code.push(source, from);
      // The hardware's conversion to f16 takes subnormals as they are.
      if (flush && from == PtxType.F32 && to != PtxType.F16) {
        flush(code);
        code.call(FloatMath.class, "canonical", F, F);
      }
      convert(code, from, to, mode, integral, saturate, flush);
      if (flush && to == PtxType.F32) flush(code);
      code.pop(destination, to);
    });
  }

  private static void requireNumbers(PtxType... types) {
    for (var type : types) {
      if (type.isUntyped() || type == PtxType.F32X2) throw new Unsupported("cvt of " + type.text());
    }
  }

  private static void flush(LaneCode code) {
    code.call(FloatMath.class, "flush", F, F);
  }

  private static boolean isLong(PtxType type) {
    return Reg.kindOf(type) == Reg.Kind.LONG;
  }

  private static void convert(LaneCode code, PtxType from, PtxType to, int mode, boolean integral, boolean saturate,
      boolean flush) {
    boolean fromFloat = FloatLowering.isFloat(from);
    boolean toFloat = FloatLowering.isFloat(to);
    if (fromFloat && toFloat) {
      floatToFloat(code, from, to, mode, integral, saturate, flush);
    } else if (fromFloat) {
      toDouble(code, from);
      floatToInteger(code, from, to, mode);
    } else if (toFloat) {
      integerToFloat(code, from, to, mode);
      if (saturate) saturate(code, to);
    } else {
      integerToInteger(code, from, to, saturate);
    }
  }

  private static void toDouble(LaneCode code, PtxType from) {
    switch (from) {
      case F16 -> code.call(Conversions.class, "fromF16", F, I).b.f2d();
      case BF16 -> code.call(Conversions.class, "fromBf16", F, I).b.f2d();
      case F32 -> code.b.f2d();
      case F64 -> {}
      default -> throw new Unsupported("cvt from " + from.text());
    }
  }

  private static void floatToFloat(LaneCode code, PtxType from, PtxType to, int mode, boolean integral,
      boolean saturate, boolean flush) {
    boolean plain = !integral && !saturate;
    if (from == to && plain) {
      if (to == PtxType.F16) code.call(Conversions.class, "canonicalF16", I, I);
      return;
    }
    if (to == PtxType.F32 && plain && (from == PtxType.F16 || from == PtxType.BF16)) {
      code.call(Conversions.class, from == PtxType.F16 ? "fromF16" : "fromBf16", F, I);
      if (from == PtxType.F16 || flush) code.call(FloatMath.class, "canonical", F, F);
      return;
    }
    if (from == PtxType.F64 && to.bits() == 16 && plain) {
      code.b.loadConstant(mode);
      code.call(Conversions.class, to == PtxType.F16 ? "narrowToF16" : "narrowToBf16", I, D, I);
      return;
    }
    if (from == PtxType.F32 && mode == Conversions.NEAREST_EVEN && !saturate && !integral
        && (to == PtxType.F16 || to == PtxType.BF16)) {
      code.call(Conversions.class, to == PtxType.F16 ? "toF16" : "toBf16", I, F);
      return;
    }
    toDouble(code, from);
    if (integral) {
      code.b.loadConstant(mode);
      code.call(Conversions.class, "integral", D, D, I);
    }
    // Saturating before rounding gives the same: 0 and 1 are exact everywhere.
    if (saturate) code.call(FloatMath.class, "saturate", D, D);
    fromDouble(code, to, mode);
    if (integral && to == PtxType.F32) code.call(FloatMath.class, "canonical", F, F);
  }

  private static void fromDouble(LaneCode code, PtxType to, int mode) {
    switch (to) {
      case F16, BF16 -> {
        code.b.loadConstant(mode);
        code.call(Conversions.class, to == PtxType.F16 ? "toF16" : "toBf16", I, D, I);
      }
      case F32 -> {
        if (mode == Conversions.NEAREST_EVEN) {
          code.b.d2f();
        } else {
          code.b.loadConstant(mode);
          code.call(Conversions.class, "narrowToF32", F, D, I);
        }
      }
      case F64 -> {}
      default -> throw new Unsupported("cvt to " + to.text());
    }
  }

  private static void saturate(LaneCode code, PtxType to) {
    switch (to) {
      case F32 -> code.call(FloatMath.class, "saturate", F, F);
      case F64 -> code.call(FloatMath.class, "saturate", D, D);
      case F16 -> code.call(HalfClamps.class, "saturateF16", I, I);
      default -> throw new Unsupported(".sat from an integer to " + to.text());
    }
  }

  private static void floatToInteger(LaneCode code, PtxType from, PtxType to, int mode) {
    code.b.loadConstant(mode);
    if (isLong(to)) {
      code.call(Conversions.class, to == PtxType.S64 ? "toSigned64" : "toUnsigned64", long.class, D, I);
    } else {
      // NaN becomes zero, but of a double the lowest number that a signed type has.
      code.b.loadConstant(to.bits()).loadConstant(from == PtxType.F64 ? -1 << to.bits() - 1 : 0);
      code.call(Conversions.class, LaneCode.isSigned(to) ? "toSigned" : "toUnsigned", I, D, I, I, I);
    }
  }

  private static void integerToFloat(LaneCode code, PtxType from, PtxType to, int mode) {
    if (from == PtxType.S64 || from == PtxType.U64) {
      if (mode != Conversions.NEAREST_EVEN || to.bits() == 16) {
        code.b.loadConstant(from == PtxType.U64 ? 1 : 0).loadConstant(precision(to)).loadConstant(mode);
        code.call(Conversions.class, "rounded", D, long.class, boolean.class, I, I);
        fromDouble(code, to, mode);
      } else if (from == PtxType.U64) {
        code.call(Conversions.class, to == PtxType.F32 ? "unsignedToFloat" : "unsignedToDouble", to == PtxType.F32 ? F
            : D, long.class);
      } else if (to == PtxType.F32) {
        code.b.l2f();
      } else {
        code.b.l2d();
      }
      return;
    }
    if (from == PtxType.U32) {
      code.b.i2l().loadConstant(0xFFFF_FFFFL).land().l2d();
    } else {
      code.b.i2d();
    }
    fromDouble(code, to, mode);
  }

  private static int precision(PtxType type) {
    return switch (type) {
      case F64 -> 53;
      case F32 -> 24;
      case F16 -> 11;
      default -> 8;
    };
  }

  private static void integerToInteger(LaneCode code, PtxType from, PtxType to, boolean saturate) {
    boolean unsigned = !LaneCode.isSigned(from);
    if (!isLong(from) && (isLong(to) || saturate)) {
      code.b.i2l();
      if (unsigned) code.b.loadConstant(0xFFFF_FFFFL).land();
    }
    if (saturate) {
      code.b.loadConstant(unsigned ? 1 : 0).loadConstant(to.bits());
      code.call(Conversions.class, LaneCode.isSigned(to) ? "clampSigned" : "clampUnsigned", long.class, long.class,
          boolean.class, I);
    }
    if (!isLong(to) && (isLong(from) || saturate)) code.b.l2i();
  }
}
