package tilewright.simulator.memory;

import java.util.Arrays;
import java.util.Optional;
import tilewright.ptx.tensormap.TensorElement;
import tilewright.simulator.arithmetic.DoubleNans;
import tilewright.simulator.arithmetic.FloatMath;
import tilewright.simulator.arithmetic.HalfMath;
import tilewright.simulator.arithmetic.IntegerMath;

/** The operation of {@code cp.reduce.async.bulk} on each element of its destination. */
public enum Reduction {
  ADD, MIN, MAX, INC, DEC, AND, OR, XOR;

  public static Optional<Reduction> parse(String name) {
    return Arrays.stream(values()).filter(r -> r.name().toLowerCase(java.util.Locale.ROOT).equals(name)).findFirst();
  }

  /** Whether it exists for elements of that type. */
  public boolean takes(TensorElement element) {
    return switch (element) {
      case U32 -> true;
      case S32, U64 -> this != INC && this != DEC;
      case S64 -> this == MIN || this == MAX;
      case F16, BF16 -> this == ADD || this == MIN || this == MAX;
      case F32, F32_FTZ, TF32, TF32_FTZ, F64 -> this == ADD;
      default -> false;
    };
  }

  /** Reduces the bytes of elements into those of another array. */
  public void apply(TensorElement element, byte[] from, byte[] to, int at) {
    int bytes = element.bits() / 8;
    // Other blocks may reduce into the same buffer.
    synchronized (to) {
      for (int k = 0; k < from.length; k += bytes) {
        switch (bytes) {
          case 2 -> Moves.SHORT.set(to, at + k,
              (short) combine16(element, (short) Moves.SHORT.get(to, at + k), (short) Moves.SHORT.get(from, k)));
          case 4 -> Moves.INT.set(to, at + k,
              combine(element, (int) Moves.INT.get(to, at + k), (int) Moves.INT.get(from, k)));
          default -> Moves.LONG.set(to, at + k,
              combine(element, (long) Moves.LONG.get(to, at + k), (long) Moves.LONG.get(from, k)));
        }
      }
    }
  }

  private int combine16(TensorElement element, int old, int value) {
    int a = old & 0xFFFF;
    int b = value & 0xFFFF;
    boolean half = element == TensorElement.F16;
    return switch (this) {
      case ADD -> half ? HalfMath.addF16(a, b) : HalfMath.addBf16(a, b);
      case MIN -> half ? HalfMath.minF16(a, b) : HalfMath.minBf16(a, b);
      case MAX -> half ? HalfMath.maxF16(a, b) : HalfMath.maxBf16(a, b);
      default -> throw impossible(element);
    };
  }

  private int combine(TensorElement element, int old, int value) {
    boolean signed = element == TensorElement.S32;
    return switch (this) {
      case ADD -> element.isFloat() ? sum(element, old, value) : old + value;
      case MIN -> signed ? Math.min(old, value) : IntegerMath.minU(old, value);
      case MAX -> signed ? Math.max(old, value) : IntegerMath.maxU(old, value);
      case INC -> Integer.compareUnsigned(old, value) >= 0 ? 0 : old + 1;
      case DEC -> old == 0 || Integer.compareUnsigned(old, value) > 0 ? value : old - 1;
      case AND -> old & value;
      case OR -> old | value;
      case XOR -> old ^ value;
    };
  }

  /**
   * Only the types of tensor maps that say so flush subnormal values (as an H200 has it; the PTX ISA says that all sums
   * of f32 do).
   */
  private static int sum(TensorElement element, int old, int value) {
    float a = Float.intBitsToFloat(old);
    float b = Float.intBitsToFloat(value);
    boolean flushes = element == TensorElement.F32_FTZ || element == TensorElement.TF32_FTZ;
    float sum = flushes ? FloatMath.flush(FloatMath.flush(a) + FloatMath.flush(b)) : a + b;
    return Float.floatToRawIntBits(FloatMath.canonical(sum));
  }

  private long combine(TensorElement element, long old, long value) {
    boolean signed = element == TensorElement.S64;
    return switch (this) {
      case ADD -> element.isFloat() ? DoubleNans.addInL2(old, value) : old + value;
      case MIN -> signed ? Math.min(old, value) : IntegerMath.minU(old, value);
      case MAX -> signed ? Math.max(old, value) : IntegerMath.maxU(old, value);
      case AND -> old & value;
      case OR -> old | value;
      case XOR -> old ^ value;
      case INC, DEC -> throw impossible(element);
    };
  }

  private IllegalArgumentException impossible(TensorElement element) {
    return new IllegalArgumentException("no reduction " + this + " of " + element);
  }
}
