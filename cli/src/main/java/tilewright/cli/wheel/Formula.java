package tilewright.cli.wheel;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** A whole number as a function of a problem's numbers by name: what Python evaluates for each launch. */
sealed interface Formula {
  /** Evaluates the formula. */
  long at(Map<String, Long> numbers);

  /** The form in JSON: a number, a name, or a list of an operation and its operands. */
  Object json();

  static Formula of(long value) {
    return new Constant(value);
  }

  static Formula of(String name) {
    return new Variable(name);
  }

  default Formula plus(Formula other) {
    return new Operation(Operator.ADD, List.of(this, other));
  }

  default Formula minus(Formula other) {
    return new Operation(Operator.SUBTRACT, List.of(this, other));
  }

  default Formula times(Formula other) {
    if (equals(of(1))) return other;
    return other.equals(of(1)) ? this : new Operation(Operator.MULTIPLY, List.of(this, other));
  }

  default Formula times(long factor) {
    return times(of(factor));
  }

  /** The quotient of non-negative numbers, rounded down. */
  default Formula dividedBy(Formula divisor) {
    return divisor.equals(of(1)) ? this : new Operation(Operator.DIVIDE, List.of(this, divisor));
  }

  /** The quotient of non-negative numbers, rounded up. */
  default Formula ceilDiv(Formula divisor) {
    return divisor.equals(of(1)) ? this : new Operation(Operator.CEIL_DIVIDE, List.of(this, divisor));
  }

  default Formula min(Formula other) {
    return new Operation(Operator.MIN, List.of(this, other));
  }

  default Formula max(Formula other) {
    return new Operation(Operator.MAX, List.of(this, other));
  }

  /** This where it is at most a limit, else another number. */
  default Formula upTo(Formula limit, Formula otherwise) {
    return new Operation(Operator.UP_TO, List.of(this, limit, otherwise));
  }

  /** A number. */
  record Constant(long value) implements Formula {
    @Override
    public long at(Map<String, Long> numbers) {
      return value;
    }

    @Override
    public Object json() {
      return value;
    }
  }

  /** A number of the problem. */
  record Variable(String name) implements Formula {
    @Override
    public long at(Map<String, Long> numbers) {
      return numbers.get(name);
    }

    @Override
    public Object json() {
      return name;
    }
  }

  /** The operations, by their names in JSON. */
  enum Operator {
    ADD("+"), SUBTRACT("-"), MULTIPLY("*"), DIVIDE("//"), CEIL_DIVIDE("ceil"), MIN("min"), MAX("max"), UP_TO("upto");

    private final String text;

    Operator(String text) {
      this.text = text;
    }
  }

  /** An operation. */
  record Operation(Operator operator, List<Formula> operands) implements Formula {
    public Operation {
      operands = List.copyOf(operands);
    }

    @Override
    public long at(Map<String, Long> numbers) {
      long a = operands.getFirst().at(numbers);
      long b = operands.get(1).at(numbers);
      return switch (operator) {
        case ADD -> a + b;
        case SUBTRACT -> a - b;
        case MULTIPLY -> a * b;
        case DIVIDE -> Math.floorDiv(a, b);
        case CEIL_DIVIDE -> Math.ceilDiv(a, b);
        case MIN -> Math.min(a, b);
        case MAX -> Math.max(a, b);
        case UP_TO -> a <= b ? a : operands.get(2).at(numbers);
      };
    }

    @Override
    public Object json() {
      var list = new ArrayList<>();
      list.add(operator.text);
      operands.forEach(operand -> list.add(operand.json()));
      return list;
    }
  }
}
