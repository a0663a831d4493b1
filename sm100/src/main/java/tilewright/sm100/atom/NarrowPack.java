package tilewright.sm100.atom;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import tilewright.kernel.F32;
import tilewright.kernel.Scope;
import tilewright.kernel.TraceException;
import tilewright.ptx.Operand;
import tilewright.ptx.PtxType;

/**
 * {@code cvt.rn.satfinite} to floats of eight bits or fewer, packed without gaps from the lowest bits up (PTX ISA, cvt;
 * SM100).
 */
public final class NarrowPack {
  private static final int WORD = 32;
  private static final int SIX = 6;

  private NarrowPack() {}

  /**
   * Rounds numbers to the nearest, ties to even, what is beyond the largest to that.
   *
   * @param values as many as fill words of 32 bits
   * @return these words
   */
  public static List<Operand.Register> words(Scope k, MmaFormat format, List<F32> values) {
    if (values.size() * format.bits() % WORD != 0 || format.bits() > Byte.SIZE || values.size() % 4 != 0) {
      throw new TraceException(values.size() + " " + format.text() + " do not fill words of " + WORD + " bits");
    }
    return switch (format.bits()) {
      case 4 -> groups(values, 8).map(eight -> nibbles(k, format, eight)).toList();
      case SIX -> groups(values, 16).flatMap(sixteen -> sixes(k, format, sixteen).stream()).toList();
      default -> groups(values, 4).map(four -> bytes(k, format, four)).toList();
    };
  }

  private static Stream<List<F32>> groups(List<F32> values, int size) {
    return IntStream.range(0, values.size() / size).mapToObj(i -> values.subList(i * size, (i + 1) * size));
  }

  /** Four numbers, a byte each. */
  private static Operand.Register bytes(Scope k, MmaFormat format, List<F32> four) {
    var halves = new ArrayList<Operand>();
    for (int i = 0; i < four.size(); i += 2) {
      var half = k.newRegister(PtxType.B16);
      convert(k, format, half, four, i);
      halves.add(half);
    }
    return word(k, halves);
  }

  private static Operand.Register nibbles(Scope k, MmaFormat format, List<F32> eight) {
    var bytes = new ArrayList<Operand>();
    for (int i = 0; i < eight.size(); i += 2) {
      var pair = k.newByteRegister();
      convert(k, format, pair, eight, i);
      bytes.add(pair);
    }
    return word(k, bytes);
  }

  private static void convert(Scope k, MmaFormat format, Operand.Register into, List<F32> values, int first) {
    k.emit("cvt.rn.satfinite." + format.text() + "x2.f32", into, values.get(first + 1).register(),
        values.get(first).register());
  }

  private static Operand.Register word(Scope k, List<Operand> parts) {
    var word = k.newRegister(PtxType.B32);
    k.emit("mov.b32", word, new Operand.Vector(parts));
    return word;
  }

  /** Four groups of 24 bits in three words. */
  private static List<Operand.Register> sixes(Scope k, MmaFormat format, List<F32> sixteen) {
    var dense = groups(sixteen, 4).map(four -> dense(k, bytes(k, format, four))).toList();
    var words = new ArrayList<Operand.Register>();
    for (int word = 0; word < 3; word++) {
      var low = shift(k, "shr", dense.get(word), Byte.SIZE * word);
      var high = shift(k, "shl", dense.get(word + 1), WORD - Byte.SIZE * (word + 1));
      words.add(combine(k, "or", low, high));
    }
    return words;
  }

  /** The low six bits of four bytes side by side. */
  private static Operand.Register dense(Scope k, Operand.Register bytes) {
    var result = combine(k, "and", bytes, new Operand.Integer(0x3F));
    for (int i = 1; i < 4; i++) {
      var moved = shift(k, "shr", bytes, (Byte.SIZE - SIX) * i);
      result = combine(k, "or", result, combine(k, "and", moved, new Operand.Integer(0x3FL << SIX * i)));
    }
    return result;
  }

  private static Operand.Register shift(Scope k, String operation, Operand.Register value, int bits) {
    return bits == 0 ? value : combine(k, operation, value, new Operand.Integer(bits));
  }

  private static Operand.Register combine(Scope k, String operation, Operand.Register left, Operand right) {
    var result = k.newRegister(PtxType.B32);
    k.emit(operation + ".b32", result, left, right);
    return result;
  }
}
