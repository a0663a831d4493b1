package tilewright.simulator.compiler.module;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import tilewright.ptx.Instruction;
import tilewright.ptx.Operand;
import tilewright.ptx.Statement;

/**
 * The registers that a function's instructions name. A declaration such as {@code .reg .b64 %rd<2147483647>} costs what
 * is named of it, not what it declares.
 */
public final class Mentions {
  /** The longest number of a register in a range. */
  private static final int MOST_DIGITS = 10;

  /** By the text in front of a number, the numbers; a name that ends in several digits may be split at each. */
  private final Map<String, Set<Integer>> numbered = new HashMap<>();

  public Mentions(List<Statement> body) {
    body(body);
  }

  /** The numbers below {@code count} that stand behind the prefix somewhere, in order. */
  public List<Integer> of(String prefix, int count) {
    return numbered.getOrDefault(prefix, Set.of()).stream().filter(n -> n < count).toList();
  }

  private void body(List<Statement> statements) {
    for (var s : statements) {
      switch (s) {
        case Statement.Block(var inner) -> body(inner);
        case Instruction i -> {
          i.guard().ifPresent(g -> name(g.predicate()));
          i.operands().forEach(this::operand);
        }
        default -> {}
      }
    }
  }

  private void operand(Operand operand) {
    var rest = new ArrayList<>(List.of(operand));
    while (!rest.isEmpty()) {
      switch (rest.removeLast()) {
        case Operand.Register(var name) -> name(name);
        case Operand.Symbol(var name) -> name(name);
        case Operand.Vector(var elements) -> rest.addAll(elements);
        case Operand.Group(var elements) -> rest.addAll(elements);
        case Operand.Address(var base, var _, var coordinates) -> {
          rest.add(base);
          rest.addAll(coordinates);
        }
        case Operand.Pair(var first, var second) -> rest.addAll(List.of(first, second));
        case Operand.Not(var inner) -> rest.add(inner);
        case Operand.Negated(var inner) -> rest.add(inner);
        case Operand.Masked(var _, var address) -> rest.add(address);
        case Operand.Offset(var symbol, var _) -> rest.add(symbol);
        case Operand.Special _, Operand.Integer _, Operand.Float _, Operand.Sink _ -> {}
      }
    }
  }

  private void name(String text) {
    int dot = text.indexOf('.');
    var name = dot < 0 ? text : text.substring(0, dot);
    for (int split = name.length() - 1; split > 0 && Character.isDigit(name.charAt(split)); split--) {
      int digits = name.length() - split;
      if (digits > MOST_DIGITS) return;
      if (digits > 1 && name.charAt(split) == '0') continue;
      long number = Long.parseLong(name, split, name.length(), 10);
      if (number <= Integer.MAX_VALUE) {
        numbered.computeIfAbsent(name.substring(0, split), _ -> new TreeSet<>()).add((int) number);
      }
    }
  }
}
