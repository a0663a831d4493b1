package tilewright.simulator.oracle;

import java.math.BigInteger;
import java.util.List;
import java.util.stream.IntStream;
import tilewright.ptx.PtxType;

/** Integer instructions on one thread's operands, by unbounded integers and single bits (PTX ISA, Integer). */
final class IntegerOracle {
  private final PtxType type;
  private final List<String> modifiers;
  private final int width;

  IntegerOracle(PtxType type, List<String> modifiers) {
    this.type = type;
    this.modifiers = modifiers;
    width = type.bits();
  }

  private BigInteger value(long bits) {
    return ConversionOracle.integer(type, bits);
  }

  private long saturated(BigInteger value) {
    return (modifiers.contains("sat") ? ConversionOracle.clamp(type, value) : value).longValue();
  }

  long apply(String opcode, long[] x) {
    var a = value(x[0]);
    var b = x.length > 1 ? value(x[1]) : BigInteger.ZERO;
    var c = x.length > 2 ? value(x[2]) : BigInteger.ZERO;
    return switch (opcode) {
      case "add" -> saturated(a.add(b));
      case "sub" -> saturated(a.subtract(b));
      case "mul" -> part(a.multiply(b), width).longValue();
      case "mad" -> modifiers.contains("wide")
          ? a.multiply(b).add(ConversionOracle.integer(doubled(), x[2])).longValue()
          : saturated(part(a.multiply(b), width).add(c));
      case "mul24" -> part(low24(x[0]).multiply(low24(x[1])), 16).longValue();
      case "mad24" -> saturated(part(low24(x[0]).multiply(low24(x[1])), 16).add(c));
      case "div" -> b.signum() == 0 ? -1 : a.divide(b).longValue();
      case "rem" -> b.signum() == 0 ? -1 : a.remainder(b).longValue();
      case "sad" -> a.subtract(b).abs().add(c).longValue();
      case "min" -> a.min(b).longValue();
      case "max" -> a.max(b).longValue();
      case "abs" -> a.abs().longValue();
      case "neg" -> a.negate().longValue();
      case "and" -> x[0] & x[1];
      case "or" -> x[0] | x[1];
      case "xor" -> x[0] ^ x[1];
      case "not" -> ~x[0];
      case "cnot" -> a.signum() == 0 ? 1 : 0;
      case "shl" -> a.shiftLeft((int) Math.min(64, x[1] & 0xFFFF_FFFFL)).longValue();
      case "shr" -> a.shiftRight((int) Math.min(64, x[1] & 0xFFFF_FFFFL)).longValue();
      case "shf" -> funnel(x);
      case "prmt" -> permute(x);
      case "lop3" -> bits(i -> x[3] >>> (x[0] >>> i & 1) * 4 + (x[1] >>> i & 1) * 2 + (x[2] >>> i & 1));
      case "bfe" -> extract(a, amount(x[1]), amount(x[2]));
      case "bfi" -> insert(x[0], x[1], amount(x[2]), amount(x[3]));
      case "bfind" -> find(a);
      case "szext" -> extend(x);
      case "bmsk" -> mask(x);
      case "popc" -> IntStream.range(0, width).filter(i -> a.testBit(i)).count();
      case "clz" -> width - unsigned(x[0]).bitLength();
      case "brev" -> bits(i -> x[0] >>> width - 1 - i);
      case "fns" -> findNth((int) x[0], (int) (x[1] & 0xFFFF_FFFFL), (int) x[2]);
      case "dp4a" -> dot(x, 8, 0);
      case "dp2a" -> dot(x, 16, modifiers.contains("hi") ? 2 : 0);
      default -> throw new IllegalArgumentException("no definition of " + opcode);
    };
  }

  private PtxType doubled() {
    return PtxType.parse(type.text().charAt(0) + "" + 2 * width).orElseThrow();
  }

  private BigInteger part(BigInteger product, int high) {
    return modifiers.contains("hi") ? product.shiftRight(high) : product;
  }

  private BigInteger low24(long bits) {
    var low = BigInteger.valueOf(bits & 0xFF_FFFF);
    return ConversionOracle.isSigned(type) && low.testBit(23) ? low.subtract(BigInteger.ONE.shiftLeft(24)) : low;
  }

  private BigInteger unsigned(long bits) {
    return BigInteger.valueOf(bits).and(BigInteger.ONE.shiftLeft(width).subtract(BigInteger.ONE));
  }

  private long bits(java.util.function.IntToLongFunction bit) {
    return IntStream.range(0, width).mapToLong(i -> (bit.applyAsLong(i) & 1) << i).reduce(0, (p, q) -> p | q);
  }

  private long funnel(long[] x) {
    long pair = x[1] << 32 | x[0] & 0xFFFF_FFFFL;
    int by = (int) (modifiers.contains("wrap") ? x[2] & 31 : Math.min(32, x[2] & 0xFFFF_FFFFL));
    return modifiers.contains("l") ? pair << by >>> 32 : pair >>> by;
  }

  private long permute(long[] x) {
    long pair = x[1] << 32 | x[0] & 0xFFFF_FFFFL;
    long result = 0;
    for (int i = 0; i < 4; i++) {
      int s = (int) x[2] & 3;
      int selector = switch (modifiers.getLast()) {
        case "f4e" -> s + i;
        case "b4e" -> s - i & 7;
        case "rc8" -> s;
        case "ecl" -> Math.max(i, s);
        case "ecr" -> Math.min(i, s);
        case "rc16" -> 2 * (s & 1) + (i & 1);
        default -> (int) (x[2] >>> 4 * i) & 15;
      };
      long picked = pair >>> 8 * (selector & 7) & 0xFF;
      result |= (selector < 8 ? picked : (picked >>> 7) * 0xFF) << 8 * i;
    }
    return result;
  }

  /** Of a field's position or length: words use the low 8 bits, longs all of them, as recorded on an H200. */
  private int amount(long bits) {
    return (int) (width == 64 ? Math.min(bits & 0xFFFF_FFFFL, 1000) : bits & 0xFF);
  }

  /** Bits beyond the top are the sign's; an empty field is zero. */
  private long extract(BigInteger a, int position, int length) {
    if (length == 0) return 0;
    var field = a.shiftRight(position);
    if (length >= width) return field.longValue();
    boolean negative = ConversionOracle.isSigned(type) && a.testBit(Math.min(position + length - 1, width - 1));
    var low = field.and(BigInteger.ONE.shiftLeft(length).subtract(BigInteger.ONE));
    return (negative ? low.subtract(BigInteger.ONE.shiftLeft(length)) : low).longValue();
  }

  private long insert(long field, long into, int position, int length) {
    return bits(i -> i >= position && i < position + length ? field >>> i - position : into >>> i);
  }

  private long find(BigInteger a) {
    int top = (a.signum() < 0 ? a.not() : a).bitLength() - 1;
    return top >= 0 && modifiers.contains("shiftamt") ? width - 1 - top : top;
  }

  private long extend(long[] x) {
    long n = modifiers.contains("wrap") ? x[1] & 31 : Math.min(32, x[1] & 0xFFFF_FFFFL);
    if (n == 0) return 0;
    long shift = 64 - n;
    return ConversionOracle.isSigned(type) ? x[0] << shift >> shift : x[0] << shift >>> shift;
  }

  private long mask(long[] x) {
    boolean wrap = modifiers.contains("wrap");
    long from = wrap ? x[0] & 31 : x[0] & 0xFFFF_FFFFL;
    long length = wrap ? x[1] & 31 : x[1] & 0xFFFF_FFFFL;
    return bits(i -> i >= from && i < from + length ? 1 : 0);
  }

  private static long findNth(int mask, int base, int offset) {
    int step = offset < 0 ? -1 : 1;
    int wanted = offset == 0 ? 1 : Math.abs(offset);
    for (int i = base; i >= 0 && i < 32; i += step) {
      if ((mask >>> i & 1) != 0 && --wanted == 0) return i;
      if (offset == 0) return -1;
    }
    return -1;
  }

  /** Four products of bytes; the first operand's elements are bytes or 16-bit halves. */
  private long dot(long[] x, int elementBits, int firstByte) {
    var types = modifiers.subList(modifiers.size() - 2, modifiers.size());
    var sum = BigInteger.valueOf(x[2]);
    for (int i = 0; i < 32 / elementBits; i++) {
      var left = element(x[0], i * elementBits, elementBits, types.get(0));
      sum = sum.add(left.multiply(element(x[1], 8 * (i + firstByte), 8, types.get(1))));
    }
    return sum.longValue();
  }

  private static BigInteger element(long word, int from, int bits, String type) {
    var field = BigInteger.valueOf(word >>> from).and(BigInteger.ONE.shiftLeft(bits).subtract(BigInteger.ONE));
    return type.startsWith("s") && field.testBit(bits - 1) ? field.subtract(BigInteger.ONE.shiftLeft(bits)) : field;
  }
}
