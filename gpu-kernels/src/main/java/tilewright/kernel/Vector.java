package tilewright.kernel;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import tilewright.numerics.ElementType;
import tilewright.ptx.Operand;
import tilewright.ptx.PtxType;

/** Neighbours that one access read, in registers as they were in memory: narrow types stay packed until used. */
public final class Vector {
  private final Scope k;
  private final ElementType type;
  private final int count;
  private final List<Operand.Register> registers;

  Vector(Scope k, ElementType type, int count, List<Operand.Register> registers) {
    this.k = k;
    this.type = type;
    this.count = count;
    this.registers = List.copyOf(registers);
  }

  /** Registers for so many neighbours, undefined until {@link Element#loadInto} fills them. */
  public static Vector of(Scope k, ElementType type, int count) {
    return new Vector(k, type, count, Element.registers(k, type, count));
  }

  /** Single elements side by side, bits unchanged. */
  public static Vector join(List<Vector> singles) {
    var head = singles.getFirst();
    var registers = new ArrayList<Operand.Register>();
    for (var single : singles) registers.addAll(single.registers);
    if (head.type.bits() == 32 || singles.size() == 1) {
      return new Vector(head.k, head.type, singles.size(), registers);
    }
    if (head.type.bits() != 16) {
      throw new TraceException("no joining of " + head.type.text() + " elements: 16 or 32 bits");
    }
    var pairs = new ArrayList<Operand.Register>();
    for (int i = 0; i < registers.size(); i += 2) {
      var pair = head.k.newRegister(PtxType.B32);
      head.k.emit("mov.b32", pair, new Operand.Vector(List.copyOf(registers.subList(i, i + 2))));
      pairs.add(pair);
    }
    return new Vector(head.k, head.type, singles.size(), pairs);
  }

  /** The elements one by one, bits unchanged. */
  public List<Vector> elements() {
    if (type.bits() == 32 || count == 1) {
      return registers.stream().map(r -> new Vector(k, type, 1, List.of(r))).toList();
    }
    if (type.bits() != 16) throw new TraceException("no single " + type.text() + " elements: 16 or 32 bits");
    var elements = new ArrayList<Vector>();
    for (var pair : registers) {
      var halves = List.<Operand>of(k.newRegister(PtxType.B16), k.newRegister(PtxType.B16));
      k.emit("mov.b32", new Operand.Vector(halves), pair);
      halves.forEach(half -> elements.add(new Vector(k, type, 1, List.of((Operand.Register) half))));
    }
    return elements;
  }

  /** The columns of a square whose rows these are, bits unchanged. */
  public static List<Vector> columns(List<Vector> rows) {
    var head = rows.getFirst();
    if (rows.size() != head.count || head.type.bits() != 32 && head.type.bits() != 16) {
      throw new TraceException("no turning of " + rows.size() + " rows of " + head.count + " " + head.type.text()
          + " elements: a square of 16 or 32 bits");
    }
    return IntStream.range(0, head.count).mapToObj(column -> new Vector(head.k, head.type, head.count,
        head.type.bits() == 32 ? rows.stream().map(row -> row.registers.get(column)).toList()
            : IntStream.range(0, head.count / 2).mapToObj(pair -> halves(head.k, rows.get(2 * pair),
                rows.get(2 * pair + 1), column)).toList())).toList();
  }

  /** The elements of a column in two rows, side by side. */
  private static Operand.Register halves(Scope k, Vector upper, Vector lower, int column) {
    var pair = k.newRegister(PtxType.B32);
    k.emit("prmt.b32", pair, upper.registers.get(column / 2), lower.registers.get(column / 2),
        new Operand.Integer(column % 2 == 0 ? 0x5410 : 0x7632));
    return pair;
  }

  /** The vector of neighbours that an instruction left in 32-bit registers. */
  public static Vector packed(Scope k, ElementType type, List<Operand.Register> registers) {
    return new Vector(k, type, registers.size() * 32 / type.bits(), registers);
  }

  /** Two numbers in one register, rounded to nearest even, the first in the low half. */
  public static Operand.Register pack(Scope k, ElementType type, F32 first, F32 second) {
    return Conversion.pack(k, type, first, second);
  }

  /** Numbers rounded to a type, to nearest even, side by side as one access writes them. */
  public static Vector rounded(Scope k, ElementType type, List<F32> values) {
    var pieces = new ArrayList<Operand.Register>();
    if (type.bits() == 16 && values.size() > 1) {
      for (int i = 0; i < values.size(); i += 2) {
        pieces.add(Conversion.pack(k, type, values.get(i), values.get(i + 1)));
      }
    } else if (type.bits() == 8 && values.size() == 2) {
      pieces.add(Conversion.packBytes(k, type, values.get(0), values.get(1)));
    } else if (type.bits() == 8 && values.size() > 2) {
      for (int i = 0; i < values.size(); i += 4) pieces.add(Conversion.packBytes(k, type, values.subList(i, i + 4)));
    } else {
      values.forEach(value -> pieces.add(Conversion.fromF32(k, type, value)));
    }
    return new Vector(k, type, values.size(), pieces);
  }

  int count() {
    return count;
  }

  /** Whether this is one element. */
  public boolean isSingle() {
    return count == 1;
  }

  /** The registers, two elements of 16 bits in one of 32. */
  public List<Operand.Register> registers() {
    return registers;
  }

  /** The elements of a tensor of 32-bit integers. */
  public List<I32> integers() {
    if (type != ElementType.I32) throw new TraceException("only i32 elements are integers, not " + type.text());
    return registers.stream().map(r -> k.result(r, Integer.MIN_VALUE, Integer.MAX_VALUE)).toList();
  }

  /** The numbers like {@link #values}, but each converted only where it is used, anew each time: fewer registers. */
  public List<F32> valuesLater() {
    if (type.bits() == 32 || count == 1) return values();
    return registers.stream().flatMap(r -> Conversion.unpackLater(k, type, r).stream()).toList();
  }

  /** The numbers two by two, for arithmetic in their own type; a single one is a pair with itself. */
  public List<Pair> pairs() {
    if (count == 1) {
      var both = k.newRegister(PtxType.B32);
      k.emit("mov.b32", both, new Operand.Vector(List.of(registers.getFirst(), registers.getFirst())));
      return List.of(new Pair(k, type, both));
    }
    return registers.stream().map(r -> new Pair(k, type, r)).toList();
  }

  /** The two integers of 4 bits that lie in a single byte, the low half first, exactly in f16 or bf16. */
  public Pair fourBits(ElementType result) {
    if (type != ElementType.I8 || count > 1) {
      throw new TraceException(count + " " + type.text() + " elements are no pair of 4 bits: one i8 is");
    }
    return Conversion.fourBits(k, result, registers.getFirst());
  }

  /** Adds the sum of all bytes, signed, to an integer: one instruction for four of them. */
  public void addBytesTo(I32.Variable sum) {
    if (type != ElementType.I8) throw new TraceException("only i8 is added as bytes, not " + type.text());
    for (var register : registers) {
      if (count < 4) sum.add(Conversion.widenByte(k, register));
      else sum.addDot(register, 0x01010101);
    }
  }

  /** The numbers, exactly converted to FP32 here: what is live in between is the packed form. */
  public List<F32> values() {
    if (type.bits() == 32 || count == 1) return registers.stream().map(r -> Conversion.toF32(k, type, r)).toList();
    var values = new ArrayList<F32>();
    for (var register : registers) values.addAll(Conversion.unpack(k, type, register));
    return values;
  }
}
