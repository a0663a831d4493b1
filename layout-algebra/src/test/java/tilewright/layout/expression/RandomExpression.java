package tilewright.layout.expression;

import java.util.List;
import java.util.SplittableRandom;

/** Random texts of the expression language: most have the grammar's form, with hostile numbers; some are mangled. */
final class RandomExpression {
  private static final long[] EDGES = {-1, 0, 1, 2, 3, -2, 7, 31, 1 << 16, Integer.MAX_VALUE, 1L << 31, 1L << 32,
      1L << 62, Long.MAX_VALUE, Long.MIN_VALUE};
  private static final String MANGLE = "0123456789-(),:;[]<>_^@+oSw→∘ e\u0000é";
  private static final List<String> NAMES = Operations.groups().stream()
      .flatMap(group -> group.operations().stream()).map(Operation::name).toList();

  private final SplittableRandom random;

  RandomExpression(long seed) {
    random = new SplittableRandom(seed);
  }

  String next() {
    var text = expression(random.nextInt(4));
    return random.nextInt(4) == 0 ? mangled(text) : text;
  }

  private String expression(int depth) {
    return switch (depth == 0 ? random.nextInt(6) : random.nextInt(12)) {
      case 0, 1 -> layout();
      case 2 -> tuple(2);
      case 3 -> "Sw<" + random.nextInt(5) + "," + random.nextInt(4) + "," + (random.nextInt(9) - 4) + ">"
          + (random.nextBoolean() ? "o" + random.nextInt(9) + "o" + layout() : "");
      case 4 -> "(" + extent() + "," + extent() + "):(" + unusual() + "," + unusual() + ")";
      case 5 -> random.nextBoolean() ? "_" : "[" + layout() + ";" + extent() + ";_]";
      case 6 -> expression(depth - 1) + " ∘ " + expression(depth - 1);
      case 7 -> expression(depth - 1) + "(" + (random.nextBoolean() ? tuple(1) : "(_," + number() + ")") + ")";
      default -> call(depth);
    };
  }

  private String call(int depth) {
    var text = new StringBuilder(NAMES.get(random.nextInt(NAMES.size()))).append('(');
    int operands = 1 + random.nextInt(3);
    for (int i = 0; i < operands; i++) text.append(i == 0 ? "" : ",").append(expression(depth - 1));
    return text.append(')').toString();
  }

  /** A layout of up to three modes, mostly of small extents, so that operations get far enough to fail. */
  private String layout() {
    int rank = 1 + random.nextInt(3);
    if (rank == 1) return extent() + ":" + number();
    var shape = new StringBuilder("(");
    var stride = new StringBuilder("(");
    for (int i = 0; i < rank; i++) {
      boolean nested = random.nextInt(6) == 0;
      shape.append(i == 0 ? "" : ",").append(nested ? "(" + extent() + "," + extent() + ")" : extent());
      stride.append(i == 0 ? "" : ",").append(nested ? "(" + number() + "," + number() + ")" : number());
    }
    return shape.append("):").append(stride).append(')').toString();
  }

  private String unusual() {
    return switch (random.nextInt(3)) {
      case 0 -> "^" + number();
      case 1 -> number() + "@" + random.nextInt(3);
      default -> number();
    };
  }

  private String tuple(int depth) {
    if (depth == 0 || random.nextInt(3) == 0) return number();
    var text = new StringBuilder("(");
    int rank = random.nextInt(4);
    for (int i = 0; i < rank; i++) text.append(i == 0 ? "" : ",").append(tuple(depth - 1));
    return text.append(')').toString();
  }

  private String extent() {
    return random.nextInt(12) == 0 ? number() : String.valueOf(1 + random.nextInt(9));
  }

  private String number() {
    return String.valueOf(random.nextInt(8) == 0 ? EDGES[random.nextInt(EDGES.length)] : random.nextInt(20));
  }

  private String mangled(String text) {
    var changed = new StringBuilder(text);
    for (int i = random.nextInt(3); i >= 0 && !changed.isEmpty(); i--) {
      int at = random.nextInt(changed.length());
      switch (random.nextInt(3)) {
        case 0 -> changed.deleteCharAt(at);
        case 1 -> changed.insert(at, MANGLE.charAt(random.nextInt(MANGLE.length())));
        default -> changed.setCharAt(at, MANGLE.charAt(random.nextInt(MANGLE.length())));
      }
    }
    return changed.toString();
  }
}
