package tilewright.kernels.choice;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;

/** Formulas as one list of steps, in which what several need is there once. */
public final class FormulaProgram {
  private final List<Step> steps = new ArrayList<>();
  private final Map<Step, Integer> places = new HashMap<>();
  private final Map<Formula, Integer> seen = new IdentityHashMap<>();

  /**
   * A step: a number, the name of one, an operation on two earlier steps, or a choice by four. A choice of a kernel
   * makes ten thousand steps when the first one is asked for, so that hashing them has to be quick.
   */
  static final class Step {
    static final int NUMBER = -2;
    static final int NAME = -1;
    /** The kind of a choice, behind those of the operators. */
    static final int CHOICE = Formula.Operator.values().length;

    private final int kind;
    private final Object value;
    private final int[] operands;

    private Step(int kind, Object value, int... operands) {
      this.kind = kind;
      this.value = value;
      this.operands = operands;
    }

    /** {@link #NUMBER}, {@link #NAME}, an operator's place among all, or {@link #CHOICE}. */
    int kind() {
      return kind;
    }

    /** The number or the name. */
    Object value() {
      return value;
    }

    int operands() {
      return operands.length;
    }

    int operand(int which) {
      return operands[which];
    }

    @Override
    public boolean equals(Object other) {
      return other instanceof Step step && kind == step.kind && value.equals(step.value)
          && Arrays.equals(operands, step.operands);
    }

    @Override
    public int hashCode() {
      int hash = 31 * kind + value.hashCode();
      for (int operand : operands) hash = 0x9E3779B1 * hash + operand;
      return hash ^ hash >>> 15;
    }

    private Object json() {
      if (kind == NUMBER) return Formula.of((double) value).json();
      if (kind == NAME) return value;
      var json = new ArrayList<Object>();
      json.add(value);
      for (int operand : operands) json.add(operand);
      return json;
    }
  }

  /** The place of a formula's number among the steps. */
  public int place(Formula formula) {
    var known = seen.get(formula);
    if (known != null) return known;
    int place = step(switch (formula) {
      case Formula.Constant(double value) -> new Step(Step.NUMBER, value);
      case Formula.Variable(var name) -> new Step(Step.NAME, name);
      case Formula.Operation(var operator, var left, var right) ->
          new Step(operator.ordinal(), operator.text(), place(left), place(right));
      case Formula.Choice(var number, var limit, var then, var otherwise) ->
          new Step(Step.CHOICE, "upto", place(number), place(limit), place(then), place(otherwise));
      case Formula.Fewest _ -> throw new IllegalArgumentException("a search is no step: " + formula.json());
    });
    seen.put(formula, place);
    return place;
  }

  private int step(Step step) {
    var known = places.putIfAbsent(step, steps.size());
    if (known != null) return known;
    steps.add(step);
    return steps.size() - 1;
  }

  List<Step> steps() {
    return List.copyOf(steps);
  }

  /** The form in JSON: numbers, names, and lists of an operation and the places of its operands. */
  public List<Object> json() {
    return steps.stream().map(Step::json).toList();
  }
}
