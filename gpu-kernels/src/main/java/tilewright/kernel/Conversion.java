package tilewright.kernel;

import java.util.List;
import java.util.stream.Stream;
import tilewright.numerics.ElementType;
import tilewright.numerics.Rounding;
import tilewright.ptx.Operand;
import tilewright.ptx.PtxType;

/** Conversions between stored elements and FP32, in instructions that SM80 has. */
final class Conversion {
  /** {@code a & b ^ c} (PTX ISA, lop3). */
  private static final int AND_XOR = 0xF0 & 0xCC ^ 0xAA;

  private Conversion() {}

  static F32 toF32(Scope k, ElementType type, Operand.Register stored) {
    if (type == ElementType.F32) return k.result(stored);
    var result = k.newRegister(PtxType.F32);
    switch (type) {
      case F16 -> k.emit("cvt.f32.f16", result, stored);
      // SM80 cannot convert bf16; its bits are the upper half of the FP32 number.
      case BF16 -> {
        var zero = k.newRegister(PtxType.B16);
        k.emit("mov.b16", zero, new Operand.Integer(0));
        k.emit("mov.b32", result, new Operand.Vector(List.of(zero, stored)));
      }
      case E4M3, E5M2 -> {
        return widen(k, type, stored).getFirst();
      }
      case I8 -> k.emit("cvt.rn.f32.s8", result, stored);
      default -> throw new TraceException("no conversion from " + type.text() + " to f32 in the kernel language");
    }
    return k.result(result);
  }

  /** The numbers in a register: two of 16 bits, or up to four of 8. */
  static List<F32> unpack(Scope k, ElementType type, Operand.Register packed) {
    if (type.bits() == 8 && packed.name().startsWith("%h")) return widen(k, type, packed);
    if (type == ElementType.BF16) {
      var halves = unpackLater(k, type, packed);
      halves.forEach(F32::register);
      return halves;
    }
    var low = k.newRegister(PtxType.B16);
    var high = k.newRegister(PtxType.B16);
    k.emit("mov.b32", new Operand.Vector(List.of(low, high)), packed);
    if (type.bits() == 16) return List.of(toF32(k, type, low), toF32(k, type, high));
    return Stream.of(low, high).flatMap(pair -> widen(k, type, pair).stream()).toList();
  }

  /** The two numbers in a register, each converted only where something uses it: early, it would take a register. */
  static List<F32> unpackLater(Scope k, ElementType type, Operand.Register packed) {
    if (type == ElementType.BF16) {
      return List.of(upperHalf(k, "shl.b32", packed, 16), upperHalf(k, "and.b32", packed, 0xFFFF0000));
    }
    if (type != ElementType.F16) return unpack(k, type, packed);
    var low = k.newRegister(PtxType.B16);
    var high = k.newRegister(PtxType.B16);
    k.emit("mov.b32", new Operand.Vector(List.of(low, high)), packed);
    return List.of(widen(k, low), widen(k, high));
  }

  private static F32 widen(Scope k, Operand.Register half) {
    return new F32(k, k.deferred(PtxType.F32, "cvt.f32.f16", new Node.Argument.Constant(half)));
  }

  /** An FP32 number whose upper half is one of two bf16. */
  private static F32 upperHalf(Scope k, String instruction, Operand.Register packed, int operand) {
    var bits = k.deferred(PtxType.B32, instruction, new Node.Argument.Constant(packed),
        new Node.Argument.Constant(new Operand.Integer(operand)));
    return new F32(k, k.deferred(PtxType.F32, "mov.b32", new Node.Argument.Value(bits)));
  }

  /** Two numbers of 8 bits, floats by way of f16, which holds them exactly (SM89). */
  private static List<F32> widen(Scope k, ElementType type, Operand.Register pair) {
    if (type == ElementType.I8) {
      var second = k.newRegister(PtxType.B16);
      k.emit("shr.u16", second, pair, new Operand.Integer(Byte.SIZE));
      return List.of(toF32(k, type, pair), toF32(k, type, second));
    }
    var halves = k.newRegister(PtxType.B32);
    k.emit("cvt.rn.f16x2." + type.text() + "x2", halves, pair);
    return unpack(k, ElementType.F16, halves);
  }

  /**
   * The two signed integers of 4 bits in a byte, the low half first. Beside the exponent that gives a fraction's last
   * bit the value of one they count in ones: no conversion instruction is needed, of which a GPU makes few at a time.
   */
  static Pair fourBits(Scope k, ElementType type, Operand.Register stored) {
    double ones = type == ElementType.F16 ? 0x1p10 : 0x1p7;
    var wide = k.newRegister(PtxType.B32);
    var apart = k.newRegister(PtxType.B32);
    var biased = k.newRegister(PtxType.B32);
    k.emit("cvt.u32.u16", wide, stored);
    k.emit("mul.lo.u32", apart, wide, new Operand.Integer(1 | 1 << 12));
    // The bias of 8 turns two's complement into numbers from 0 on.
    int both = (int) type.fromDouble(ones, Rounding.NEAREST_EVEN) | 8;
    k.emit("lop3.b32", biased, apart, new Operand.Integer(0x000F000F), new Operand.Integer(both | both << 16),
        new Operand.Integer(AND_XOR));
    var pair = new Pair(k, type, biased);
    return pair.plus(pair.constant(-ones - 8));
  }

  /** A signed byte as an integer. */
  static Operand.Register widenByte(Scope k, Operand.Register stored) {
    var result = k.newRegister(PtxType.B32);
    k.emit("cvt.s32.s8", result, stored);
    return result;
  }

  static Operand.Register fromF32(Scope k, ElementType type, F32 value) {
    if (type == ElementType.F32) return value.register();
    // One value twice: a store of one byte takes the low one.
    if (type.bits() == 8) return packBytes(k, type, value, value);
    var result = k.newRegister(PtxType.B16);
    k.emit("cvt.rn." + half(type) + ".f32", result, value.register());
    return result;
  }

  /** Two values in one register, the first in the low half. */
  static Operand.Register pack(Scope k, ElementType type, F32 first, F32 second) {
    var result = k.newRegister(PtxType.B32);
    k.emit("cvt.rn." + half(type) + "x2.f32", result, second.register(), first.register());
    return result;
  }

  /** Two values of 8 bits in half a register, the first in the low byte; what is beyond the type saturates. */
  static Operand.Register packBytes(Scope k, ElementType type, F32 first, F32 second) {
    var result = k.newRegister(PtxType.B16);
    if (type != ElementType.I8) {
      k.emit("cvt.rn.satfinite." + type.text() + "x2.f32", result, second.register(), first.register());
      return result;
    }
    var bytes = k.newRegister(PtxType.B32);
    k.emit("cvt.pack.sat.s8.s32.b32", bytes, wholeNumber(k, second), wholeNumber(k, first), new Operand.Integer(0));
    k.emit("cvt.u16.u32", result, bytes);
    return result;
  }

  /** Four values of 8 bits in one register, the first in the low byte. */
  static Operand.Register packBytes(Scope k, ElementType type, List<F32> values) {
    var result = k.newRegister(PtxType.B32);
    k.emit("mov.b32", result, new Operand.Vector(List.of(packBytes(k, type, values.get(0), values.get(1)),
        packBytes(k, type, values.get(2), values.get(3)))));
    return result;
  }

  private static Operand.Register wholeNumber(Scope k, F32 value) {
    var result = k.newRegister(PtxType.B32);
    k.emit("cvt.rni.s32.f32", result, value.register());
    return result;
  }

  /** Rounded to the type and exactly back. */
  static F32 round(Scope k, ElementType type, F32 value) {
    return switch (type) {
      case F32 -> value;
      case E4M3, E5M2 -> widen(k, type, packBytes(k, type, value, value)).getFirst();
      case I8 -> {
        var bounded = k.newRegister(PtxType.B16);
        var result = k.newRegister(PtxType.F32);
        k.emit("cvt.rni.s8.f32", bounded, value.register());
        k.emit("cvt.rn.f32.s8", result, bounded);
        yield k.result(result);
      }
      default -> toF32(k, type, fromF32(k, type, value));
    };
  }

  private static String half(ElementType type) {
    return switch (type) {
      case F16, BF16 -> type.text();
      default -> throw new TraceException("no conversion from f32 to " + type.text() + " in the kernel language");
    };
  }
}
