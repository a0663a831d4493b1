package tilewright.ptx;

import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** The registers declared in a block and around it. */
final class Scope {
  private final Optional<Scope> outer;
  private final Map<String, Integer> ranges = new HashMap<>();
  private final Set<String> singles = new HashSet<>();

  private Scope(Optional<Scope> outer) {
    this.outer = outer;
  }

  static Scope ofFunction() {
    return new Scope(Optional.empty());
  }

  Scope inner() {
    return new Scope(Optional.of(this));
  }

  void declare(Statement.Registers registers) {
    if (registers.count() == 0) singles.add(registers.name());
    else ranges.merge(registers.name(), registers.count(), Math::max);
  }

  void declare(String name) {
    singles.add(name);
  }

  /** Whether a register of that name is declared; the name may select an element ({@code v.x}). */
  boolean declares(String name) {
    int dot = name.indexOf('.');
    String register = dot < 0 ? name : name.substring(0, dot);
    return here(register) || outer.map(o -> o.declares(register)).orElse(false);
  }

  private boolean here(String name) {
    if (singles.contains(name)) return true;
    // the prefix of a range may itself end in digits: r1<10> declares r10 to r19
    for (int split = name.length() - 1; split > 0 && Character.isDigit(name.charAt(split)); split--) {
      int count = ranges.getOrDefault(name.substring(0, split), 0);
      if (count > 0 && inRange(name, split, count)) return true;
    }
    return false;
  }

  static boolean inRange(String name, int split, int count) {
    int digits = name.length() - split;
    boolean canonical = digits == 1 || name.charAt(split) != '0';
    return canonical && digits < 10 && Integer.parseInt(name, split, name.length(), 10) < count;
  }
}
