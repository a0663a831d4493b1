package tilewright.kernels.choice;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.LongStream;

/**
 * A number as a function of a problem's numbers by name. What is made of constants only is a constant at once, so that
 * code over formulas computes numbers where it is given numbers, and is traced where it is given names.
 *
 * <p>Arithmetic is that of {@code double}, in the order in which it is written: any language with IEEE 754 finds the
 * same numbers. Whole numbers are exact up to 2⁵³.
 */
public sealed interface Formula {
  /** The number of a problem. */
  double at(Map<String, Long> numbers);

  /** The form in JSON: a number, a name, or a list of an operation and its operands. */
  Object json();

  static Formula of(double value) {
    return new Constant(value);
  }

  static Formula of(String name) {
    return new Variable(name);
  }

  /**
   * The number of a formula of constants.
   *
   * @throws IllegalStateException naming the formula if it needs a problem's numbers
   */
  default double value() {
    if (this instanceof Constant(double value)) return value;
    throw new IllegalStateException("the number of " + json() + " depends on a problem");
  }

  default Formula plus(Formula other) {
    return operation(Operator.ADD, this, other);
  }

  default Formula plus(double other) {
    return plus(of(other));
  }

  default Formula minus(Formula other) {
    return operation(Operator.SUBTRACT, this, other);
  }

  default Formula times(Formula other) {
    if (isOne(this)) return other;
    return isOne(other) ? this : operation(Operator.MULTIPLY, this, other);
  }

  default Formula times(double factor) {
    return times(of(factor));
  }

  /** The quotient. */
  default Formula over(Formula divisor) {
    return isOne(divisor) ? this : operation(Operator.DIVIDE, this, divisor);
  }

  default Formula over(double divisor) {
    return over(of(divisor));
  }

  /** The quotient of non-negative whole numbers, rounded down. */
  default Formula dividedBy(Formula divisor) {
    return isOne(divisor) ? this : operation(Operator.FLOOR_DIVIDE, this, divisor);
  }

  /** The quotient of non-negative whole numbers, rounded up. */
  default Formula ceilDiv(Formula divisor) {
    return isOne(divisor) ? this : operation(Operator.CEIL_DIVIDE, this, divisor);
  }

  default Formula ceilDiv(double divisor) {
    return ceilDiv(of(divisor));
  }

  /** The remainder of this by a whole number; neither is negative. */
  default Formula remainder(double divisor) {
    return minus(dividedBy(of(divisor)).times(divisor));
  }

  /** This, rounded up. */
  default Formula ceil() {
    return operation(Operator.CEIL_DIVIDE, this, of(1));
  }

  default Formula min(Formula other) {
    return operation(Operator.MIN, this, other);
  }

  default Formula min(double other) {
    return min(of(other));
  }

  default Formula max(Formula other) {
    return operation(Operator.MAX, this, other);
  }

  default Formula max(double other) {
    return max(of(other));
  }

  /** One number where this is at most a limit, else another. */
  default Formula atMost(Formula limit, Formula then, Formula otherwise) {
    if (this instanceof Constant(double a) && limit instanceof Constant(double b)) return a <= b ? then : otherwise;
    return new Choice(this, limit, then, otherwise);
  }

  /** This where it is at most a limit, else another number. */
  default Formula upTo(Formula limit, Formula otherwise) {
    return atMost(limit, this, otherwise);
  }

  /**
   * The first whole number from 1 to {@code most} with which a formula comes near its least: {@code share} times its
   * value is at most that.
   *
   * @param name of the number in the formula
   * @param most at least 1
   */
  static Formula fewest(String name, Formula most, Formula value, double share) {
    return new Fewest(name, most, value, share);
  }

  private static boolean isOne(Formula formula) {
    return formula instanceof Constant(double value) && value == 1;
  }

  private static Formula operation(Operator operator, Formula left, Formula right) {
    return left instanceof Constant(double a) && right instanceof Constant(double b) ? of(operator.of(a, b))
        : new Operation(operator, left, right);
  }

  /** A number. */
  record Constant(double value) implements Formula {
    @Override
    public double at(Map<String, Long> numbers) {
      return value;
    }

    @Override
    public Object json() {
      if (value == Math.rint(value) && Math.abs(value) < 0x1p53) return (long) value;
      return value;
    }
  }

  /** A number of the problem. */
  record Variable(String name) implements Formula {
    @Override
    public double at(Map<String, Long> numbers) {
      return numbers.get(name);
    }

    @Override
    public Object json() {
      return name;
    }
  }

  /** The operations, by their names in JSON. */
  enum Operator {
    ADD("+"), SUBTRACT("-"), MULTIPLY("*"), DIVIDE("/"), FLOOR_DIVIDE("//"), CEIL_DIVIDE("ceil"), MIN("min"),
    MAX("max");

    private final String text;

    Operator(String text) {
      this.text = text;
    }

    /** The name in JSON. */
    public String text() {
      return text;
    }

    private double of(double a, double b) {
      return switch (this) {
        case ADD -> a + b;
        case SUBTRACT -> a - b;
        case MULTIPLY -> a * b;
        case DIVIDE -> a / b;
        case FLOOR_DIVIDE -> Math.floor(a / b);
        case CEIL_DIVIDE -> Math.ceil(a / b);
        case MIN -> Math.min(a, b);
        case MAX -> Math.max(a, b);
      };
    }
  }

  /** An operation. */
  record Operation(Operator operator, Formula left, Formula right) implements Formula {
    @Override
    public double at(Map<String, Long> numbers) {
      return operator.of(left.at(numbers), right.at(numbers));
    }

    @Override
    public Object json() {
      return List.of(operator.text, left.json(), right.json());
    }
  }

  /** One of two numbers. */
  record Choice(Formula number, Formula limit, Formula then, Formula otherwise) implements Formula {
    @Override
    public double at(Map<String, Long> numbers) {
      return (number.at(numbers) <= limit.at(numbers) ? then : otherwise).at(numbers);
    }

    @Override
    public Object json() {
      return List.of("upto", number.json(), limit.json(), then.json(), otherwise.json());
    }
  }

  /** A number that is found among several. */
  record Fewest(String name, Formula most, Formula body, double share) implements Formula {
    @Override
    public double at(Map<String, Long> numbers) {
      var all = new HashMap<>(numbers);
      var values = LongStream.rangeClosed(1, (long) most.at(numbers)).mapToDouble(number -> {
        all.put(name, number);
        return body.at(all);
      }).toArray();
      double least = Double.POSITIVE_INFINITY;
      for (double candidate : values) least = Math.min(least, candidate);
      int place = 0;
      while (share * values[place] > least) place++;
      return place + 1;
    }

    @Override
    public Object json() {
      return List.of("fewest", name, most.json(), body.json(), share);
    }
  }
}
