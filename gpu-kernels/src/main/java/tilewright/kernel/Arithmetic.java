package tilewright.kernel;

import java.util.List;
import tilewright.ptx.Operand;
import tilewright.ptx.PtxType;

/**
 * Integer operations that a sum cannot hold, simplified by what is known of ranges and bits: a quotient that divides
 * exactly vanishes, a remainder of something smaller vanishes, a mask keeps only the parts it touches, an exclusive or
 * of parts that share no bit is a sum.
 */
final class Arithmetic {
  private Arithmetic() {}

  static Linear divide(Scope k, Linear x, long divisor) {
    requirePositive(divisor);
    if (divisor == 1) return x;
    var split = Split.of(x, divisor);
    return split.quotient().plus(quotient(k, split.rest(), divisor));
  }

  static Linear remainder(Scope k, Linear x, long divisor) {
    requirePositive(divisor);
    if (divisor == 1) return Linear.of(0);
    var rest = Split.of(x, divisor).rest();
    if (rest.min() >= 0 && rest.max() < divisor) return rest;
    if (Bits.isPowerOfTwo(divisor)) return and(k, rest, divisor - 1);
    return binary(k, "rem.u32", rest, Linear.of(divisor), 0, divisor - 1, Bits.upTo(divisor - 1));
  }

  private static Linear quotient(Scope k, Linear x, long divisor) {
    if (x.min() >= 0 && x.max() < divisor) return Linear.of(0);
    long max = x.max() / divisor;
    if (!Bits.isPowerOfTwo(divisor)) return binary(k, "div.u32", x, Linear.of(divisor), 0, max, -1);
    int shift = Bits.log2(divisor);
    return binary(k, "shr.u32", x, Linear.of(shift), 0, max, x.ones() < 0 ? Bits.upTo(max) : x.ones() >>> shift);
  }

  static Linear and(Scope k, Linear x, long mask) {
    if (x.isConstant()) return Linear.of(x.constant() & mask);
    long ones = x.ones();
    if (ones >= 0 && (ones & ~mask) == 0) return x;
    if (x.isBitwise()) {
      var result = Linear.of(x.constant() & mask);
      for (var term : x.terms()) result = result.plus(maskedTerm(k, term, mask));
      return result;
    }
    return binary(k, "and.b32", x, Linear.of(mask), 0, mask, ones < 0 ? mask : ones & mask);
  }

  private static Linear maskedTerm(Scope k, Linear.Term term, long mask) {
    long touched = term.ones() & mask;
    if (touched == 0) return Linear.of(0);
    var atom = Linear.of(term.atom());
    if ((term.ones() & ~mask) == 0) return atom.times(term.factor());
    if (!Bits.isPowerOfTwo(term.factor())) {
      return binary(k, "and.b32", atom.times(term.factor()), Linear.of(mask), 0, mask, touched);
    }
    int shift = Bits.log2(term.factor());
    long inner = touched >>> shift;
    return binary(k, "and.b32", atom, Linear.of(mask >>> shift & Bits.upTo(term.atom().max)), 0, inner, inner)
        .times(term.factor());
  }

  static Linear xor(Scope k, Linear a, Linear b) {
    if (a.isConstant() && b.isConstant()) return Linear.of(a.constant() ^ b.constant());
    if (a.ones() >= 0 && b.ones() >= 0 && (a.ones() & b.ones()) == 0) return a.plus(b);
    if (!a.isBitwise() || !b.isBitwise()) return plainXor(k, a, b);
    // Parts that the other side cannot touch stay outside; a constant goes last, so the symbolic part is shared.
    var freeA = untouched(a, b.ones());
    var freeB = untouched(b, a.ones());
    var x = a.minus(freeA);
    var y = b.minus(freeB);
    long constant = x.constant() ^ y.constant();
    var symbolic = symbolicXor(k, x.withoutConstant(), y.withoutConstant());
    var touched = (symbolic.ones() & constant) == 0
        ? symbolic.plus(constant) : plainXor(k, symbolic, Linear.of(constant));
    return touched.plus(freeA).plus(freeB);
  }

  private static Linear symbolicXor(Scope k, Linear x, Linear y) {
    if (x.isConstant()) return y;
    if (y.isConstant()) return x;
    if ((x.ones() & y.ones()) == 0) return x.plus(y);
    long scale = Math.min(commonFactor(x), commonFactor(y));
    return plainXor(k, over(x, scale), over(y, scale)).times(scale);
  }

  private static long commonFactor(Linear x) {
    return x.terms().stream().mapToLong(t -> Long.lowestOneBit(t.factor())).min().orElse(1);
  }

  private static Linear over(Linear x, long factor) {
    return new Linear(x.constant() / factor, x.terms().stream()
        .map(t -> new Linear.Term(t.atom(), t.factor() / factor)).toList());
  }

  private static Linear untouched(Linear x, long others) {
    return x.where(t -> (t.ones() & others) == 0).plus(x.constant() & ~others);
  }

  private static Linear plainXor(Scope k, Linear a, Linear b) {
    long ones = a.ones() < 0 || b.ones() < 0 ? -1 : a.ones() | b.ones();
    return binary(k, "xor.b32", a, b, ones < 0 ? Long.MIN_VALUE / 4 : 0, ones < 0 ? Long.MAX_VALUE / 4 : ones, ones);
  }

  static Linear minimum(Scope k, Linear a, Linear b) {
    if (a.max() <= b.min()) return a;
    if (b.max() <= a.min()) return b;
    return binary(k, "min.s32", a, b, Math.min(a.min(), b.min()), Math.min(a.max(), b.max()), -1);
  }

  static Linear maximum(Scope k, Linear a, Linear b) {
    if (a.min() >= b.max()) return a;
    if (b.min() >= a.max()) return b;
    return binary(k, "max.s32", a, b, Math.max(a.min(), b.min()), Math.max(a.max(), b.max()), -1);
  }

  static Linear binary(Scope k, String instruction, Linear a, Linear b, long min, long max, long ones) {
    var recipe = new Node.Recipe(instruction, List.of(new Node.Argument.Sum(a), new Node.Argument.Sum(b)));
    return Linear.of(k.pure(PtxType.B32, Region.deeper(a.home(k.root()), b.home(k.root())),
        Math.max(min, Integer.MIN_VALUE), Math.min(max, Integer.MAX_VALUE), ones, recipe));
  }

  static Node.Argument immediate(long value) {
    return new Node.Argument.Constant(new Operand.Integer(value));
  }

  private static void requirePositive(long divisor) {
    if (divisor <= 0) throw new TraceException("invalid divisor " + divisor + ": it must be positive");
  }

  /** {@code x = quotient · divisor + rest}, with every multiple of the divisor taken out. */
  private record Split(Linear quotient, Linear rest) {
    static Split of(Linear x, long divisor) {
      var multiple = x.where(t -> t.factor() % divisor == 0);
      long whole = Math.floorDiv(x.constant(), divisor);
      var rest = x.minus(multiple).plus(-whole * divisor);
      return new Split(over(multiple, divisor).plus(whole), rest);
    }
  }
}
