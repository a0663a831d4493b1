package tilewright.simulator;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/**
 * A random straight line of instructions on words and predicates, with an interpreter of its own that knows for every
 * bit whether it is defined, by Memcheck's rules.
 */
final class UndefinedProgram {
  static final int WORDS = 6;
  static final int PREDICATES = 4;
  private static final int REGISTERS = WORDS + PREDICATES;

  /** A register as one lane knows it: a bit that is set in {@code unknown} may be anything. */
  record Bits(int value, int unknown) {
    Bits fill(Random random) {
      return new Bits(value & ~unknown | random.nextInt() & unknown, unknown);
    }

    /** A result that needs all bits of its operands. */
    Bits orUnknown(Bits... operands) {
      for (var o : operands) if (o.unknown != 0) return new Bits(value, -1);
      return new Bits(value, 0);
    }
  }

  private interface Step {
    Bits apply(Bits[] registers);
  }

  private record Instruction(String text, int to, Step step) {}

  private final List<Instruction> instructions = new ArrayList<>();
  private final Random random;

  UndefinedProgram(Random random, int length) {
    this.random = random;
    while (instructions.size() < length) instructions.add(next());
  }

  String text() {
    var text = new StringBuilder();
    for (var i : instructions) text.append(i.text()).append('\n');
    return text.toString();
  }

  /** The registers at the end; words first, then predicates, in which a bit is the lowest. */
  Bits[] run(Bits[] words) {
    var registers = new Bits[REGISTERS];
    System.arraycopy(words, 0, registers, 0, WORDS);
    for (int k = WORDS; k < REGISTERS; k++) registers[k] = new Bits(0, 0);
    for (var i : instructions) {
      var result = i.step().apply(registers);
      int mask = i.to() < WORDS ? -1 : 1;
      registers[i.to()] = new Bits(result.value() & mask, result.unknown() & mask);
    }
    return registers;
  }

  private static String name(int register) {
    return register < WORDS ? "%r" + register : "%q" + (register - WORDS);
  }

  private Instruction next() {
    int a = random.nextInt(WORDS);
    int b = random.nextInt(WORDS);
    int to = random.nextInt(WORDS);
    int p = WORDS + random.nextInt(PREDICATES);
    int q = WORDS + random.nextInt(PREDICATES);
    int toP = WORDS + random.nextInt(PREDICATES);
    int constant = random.nextInt(3) == 0 ? random.nextInt(32) : random.nextInt();
    int shift = random.nextInt(32);
    int table = random.nextInt(256);
    return switch (random.nextInt(14)) {
      case 0 -> logic(List.of("and", "or", "xor").get(table % 3), a, b, to);
      case 1 -> new Instruction("and.b32 %s, %s, %d;".formatted(name(to), name(a), constant), to,
          r -> new Bits(r[a].value() & constant, r[a].unknown() & constant));
      case 2 -> new Instruction("or.b32 %s, %s, %d;".formatted(name(to), name(a), constant), to,
          r -> new Bits(r[a].value() | constant, r[a].unknown() & ~constant));
      case 3 -> new Instruction("not.b32 %s, %s;".formatted(name(to), name(a)), to,
          r -> new Bits(~r[a].value(), r[a].unknown()));
      case 4 -> new Instruction("add.u32 %s, %s, %s;".formatted(name(to), name(a), name(b)), to,
          r -> new Bits(r[a].value() + r[b].value(), 0).orUnknown(r[a], r[b]));
      case 5 -> new Instruction("shl.b32 %s, %s, %d;".formatted(name(to), name(a), shift), to,
          r -> new Bits(r[a].value() << shift, r[a].unknown() << shift));
      case 6 -> new Instruction("shr.s32 %s, %s, %d;".formatted(name(to), name(a), shift), to,
          r -> new Bits(r[a].value() >> shift, r[a].unknown() >> shift));
      case 7 -> new Instruction("mov.u32 %s, %d;".formatted(name(to), constant), to, _ -> new Bits(constant, 0));
      case 8 -> new Instruction("lop3.b32 %s, %s, %s, %s, %d;".formatted(name(to), name(a), name(b), name(to), table),
          to, r -> lop3(r[a], r[b], r[to], table));
      case 9 -> new Instruction("selp.b32 %s, %s, %s, %s;".formatted(name(to), name(a), name(b), name(p)), to,
          r -> select(r[p], r[a], r[b]));
      case 10 -> new Instruction("@%s mov.b32 %s, %s;".formatted(name(p), name(to), name(a)), to,
          r -> r[p].unknown() != 0 ? new Bits(0, -1) : r[p].value() != 0 ? r[a] : r[to]);
      case 11 -> logic(List.of("and", "or", "xor").get(table % 3), p, q, toP);
      case 12 -> new Instruction("setp.lt.and.s32 %s, %s, %s, %s;".formatted(name(toP), name(a), name(b), name(q)),
          toP, r -> and(less(r[a], r[b]), r[q]));
      default -> new Instruction("setp.lt.s32 %s, %s, %s;".formatted(name(toP), name(a), name(b)), toP,
          r -> less(r[a], r[b]));
    };
  }

  private static Instruction logic(String operation, int a, int b, int to) {
    return new Instruction("%s.%s %s, %s, %s;".formatted(operation, to < WORDS ? "b32" : "pred", name(to), name(a),
        name(b)), to, r -> switch (operation) {
      case "and" -> and(r[a], r[b]);
      case "or" -> new Bits(r[a].value() | r[b].value(), (r[a].unknown() | r[b].unknown())
          & ~(r[a].value() & ~r[a].unknown()) & ~(r[b].value() & ~r[b].unknown()));
      default -> new Bits(r[a].value() ^ r[b].value(), r[a].unknown() | r[b].unknown());
    });
  }

  private static Bits and(Bits a, Bits b) {
    return new Bits(a.value() & b.value(),
        (a.unknown() | b.unknown()) & (a.value() | a.unknown()) & (b.value() | b.unknown()));
  }

  private static Bits less(Bits a, Bits b) {
    return new Bits(a.value() < b.value() ? 1 : 0, 0).orUnknown(a, b);
  }

  private static Bits select(Bits predicate, Bits a, Bits b) {
    var chosen = predicate.value() != 0 ? a : b;
    if (predicate.unknown() == 0) return chosen;
    return new Bits(chosen.value(), a.unknown() | b.unknown() | a.value() ^ b.value());
  }

  /** Bit by bit: all that the unknown ones may be. */
  private static Bits lop3(Bits a, Bits b, Bits c, int table) {
    int value = 0;
    int unknown = 0;
    for (int bit = 0; bit < Integer.SIZE; bit++) {
      int now = row(a, bit) << 2 | row(b, bit) << 1 | row(c, bit);
      int free = (a.unknown() >>> bit & 1) << 2 | (b.unknown() >>> bit & 1) << 1 | c.unknown() >>> bit & 1;
      value |= (table >>> now & 1) << bit;
      for (int row = 0; row < 8; row++) {
        if (((row ^ now) & ~free) == 0 && (table >>> row & 1) != (table >>> now & 1)) unknown |= 1 << bit;
      }
    }
    return new Bits(value, unknown);
  }

  private static int row(Bits bits, int bit) {
    return bits.value() >>> bit & 1;
  }
}
