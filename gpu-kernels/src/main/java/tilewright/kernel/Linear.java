package tilewright.kernel;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.function.Predicate;

/**
 * An integer value as a sum: a constant plus constants times atoms, atoms in order of their ids. Coordinates and shared
 * addresses are kept in this form, so equal ones are recognised and constants reach the instruction's immediate.
 */
record Linear(long constant, List<Term> terms) {

  record Term(Node atom, long factor) {
    long max() {
      return factor >= 0 ? multiply(factor, atom.max) : multiply(factor, atom.min);
    }

    long min() {
      return factor >= 0 ? multiply(factor, atom.min) : multiply(factor, atom.max);
    }

    long ones() {
      return Bits.scaled(atom.ones, atom.max, factor);
    }

    private static long multiply(long a, long b) {
      long high = Math.multiplyHigh(a, b);
      long low = a * b;
      if ((high == 0 && low >= 0) || (high == -1 && low < 0)) return low;
      return (a < 0) == (b < 0) ? Long.MAX_VALUE / 4 : Long.MIN_VALUE / 4;
    }

    @Override
    public boolean equals(Object other) {
      return other instanceof Term t && t.atom == atom && t.factor == factor;
    }

    @Override
    public int hashCode() {
      return Objects.hash(atom.id, factor);
    }
  }

  Linear {
    terms = List.copyOf(terms);
  }

  static Linear of(long constant) {
    return new Linear(constant, List.of());
  }

  static Linear of(Node atom) {
    return new Linear(0, List.of(new Term(atom, 1)));
  }

  Linear plus(Linear other) {
    var merged = new ArrayList<Term>();
    int i = 0;
    int j = 0;
    while (i < terms.size() || j < other.terms.size()) {
      var a = i < terms.size() ? terms.get(i) : null;
      var b = j < other.terms.size() ? other.terms.get(j) : null;
      if (b == null || (a != null && a.atom.id < b.atom.id)) {
        merged.add(a);
        i++;
      } else if (a == null || b.atom.id < a.atom.id) {
        merged.add(b);
        j++;
      } else {
        long factor = a.factor + b.factor;
        if (factor != 0) merged.add(new Term(a.atom, factor));
        i++;
        j++;
      }
    }
    return new Linear(constant + other.constant, merged);
  }

  Linear plus(long c) {
    return c == 0 ? this : new Linear(constant + c, terms);
  }

  Linear times(long factor) {
    if (factor == 0) return of(0);
    return new Linear(constant * factor, terms.stream().map(t -> new Term(t.atom, t.factor * factor)).toList());
  }

  Linear minus(Linear other) {
    return plus(other.times(-1));
  }

  boolean isConstant() {
    return terms.isEmpty();
  }

  /** The atom itself, when the sum is nothing else. */
  boolean isAtom() {
    return constant == 0 && terms.size() == 1 && terms.getFirst().factor == 1;
  }

  Linear withoutConstant() {
    return new Linear(0, terms);
  }

  /** The terms that satisfy the condition, without the constant. */
  Linear where(Predicate<Term> condition) {
    return new Linear(0, terms.stream().filter(condition).toList());
  }

  long min() {
    return terms.stream().mapToLong(Term::min).reduce(constant, Linear::add);
  }

  long max() {
    return terms.stream().mapToLong(Term::max).reduce(constant, Linear::add);
  }

  private static long add(long a, long b) {
    long sum = a + b;
    return ((a ^ sum) & (b ^ sum)) < 0 ? (a < 0 ? Long.MIN_VALUE / 4 : Long.MAX_VALUE / 4) : sum;
  }

  /** Bits that may be one; -1 when the sum may be negative. */
  long ones() {
    if (min() < 0) return -1;
    long ones = constant;
    long max = constant;
    for (var term : terms) {
      ones = Bits.sum(ones, max, term.ones(), term.max());
      if (ones < 0) return -1;
      max += term.max();
    }
    return ones & Bits.upTo(max());
  }

  /** The largest power of two that is known to divide it, whatever its sign; 0 where it is known to be 0. */
  long divisor() {
    long divisors = constant;
    for (var term : terms) divisors |= Long.lowestOneBit(term.factor) * Long.lowestOneBit(term.atom.ones);
    return Long.lowestOneBit(divisors);
  }

  /** Whether it is known to be even, whatever its sign. */
  boolean isEven() {
    return divisor() % 2 == 0;
  }

  /** Whether no two parts share a bit, so that the sum is also their exclusive or. */
  boolean isBitwise() {
    if (constant < 0) return false;
    long seen = constant;
    for (var term : terms) {
      long ones = term.ones();
      if (ones < 0 || (seen & ones) != 0) return false;
      seen |= ones;
    }
    return true;
  }

  Region home(Region root) {
    return terms.stream().map(t -> t.atom.home).max(Comparator.comparingInt(r -> r.depth)).orElse(root);
  }
}
