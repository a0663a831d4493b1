package tilewright.kernels.choice;

import java.util.ArrayList;
import java.util.List;
import tilewright.kernels.choice.FormulaProgram.Step;

/**
 * Computes many formulas of the same numbers at once, in microseconds. Steps that need only earlier ones are done
 * together where they have one operation, so that each batch is a loop without branches.
 */
public final class FormulaBatches {
  private static final Formula.Operator[] OPERATORS = Formula.Operator.values();
  private static final int KINDS = Step.CHOICE + 1;

  private final double[] constants;
  private final int[] variables;
  private final int[] results;
  private final List<Batch> batches;

  /** Steps from one place on that are of one kind, with the places of their operands, first, second and so on. */
  private record Batch(int kind, int from, int[][] operands) {
    int size() {
      return operands[0].length;
    }
  }

  /**
   * Prepares formulas.
   *
   * @param names of the numbers, in the order in which they will be given
   * @throws IllegalArgumentException if formulas need other numbers
   */
  public FormulaBatches(List<String> names, List<Formula> formulas) {
    var program = new FormulaProgram();
    variables = places(program, names.stream().map(Formula::of).toList());
    results = places(program, formulas);
    var steps = program.steps();
    var places = new int[steps.size()];
    constants = new double[steps.size()];
    batches = List.copyOf(batches(steps, places));
    for (int i = 0; i < places.length; i++) {
      if (steps.get(i).value() instanceof Double value) constants[places[i]] = value;
      if (steps.get(i).kind() == Step.NAME && i >= names.size()) {
        throw new IllegalArgumentException("formulas need " + steps.get(i).value() + ": given are " + names);
      }
    }
    for (int i = 0; i < variables.length; i++) variables[i] = places[variables[i]];
    for (int i = 0; i < results.length; i++) results[i] = places[results[i]];
  }

  private static int[] places(FormulaProgram program, List<Formula> formulas) {
    var places = new int[formulas.size()];
    for (int i = 0; i < places.length; i++) places[i] = program.place(formulas.get(i));
    return places;
  }

  /** Sorts steps by how many others they are behind, then by kind, and finds their new places. */
  private static List<Batch> batches(List<Step> steps, int[] places) {
    var groups = new ArrayList<List<Integer>>();
    var levels = new int[steps.size()];
    for (int i = 0; i < levels.length; i++) {
      var step = steps.get(i);
      for (int j = 0; j < step.operands(); j++) levels[i] = Math.max(levels[i], levels[step.operand(j)] + 1);
      int group = levels[i] == 0 ? 0 : levels[i] * KINDS + step.kind();
      while (groups.size() <= group) groups.add(new ArrayList<>());
      groups.get(group).add(i);
    }
    var batches = new ArrayList<Batch>();
    int next = 0;
    for (int group = 0; group < groups.size(); group++) {
      var members = groups.get(group);
      int from = next;
      for (int member : members) places[member] = next++;
      if (group < KINDS || members.isEmpty()) continue;
      var operands = new int[steps.get(members.getFirst()).operands()][members.size()];
      for (int i = 0; i < members.size(); i++) {
        for (int j = 0; j < operands.length; j++) operands[j][i] = places[steps.get(members.get(i)).operand(j)];
      }
      batches.add(new Batch(group % KINDS, from, operands));
    }
    return batches;
  }

  /** The formulas' values for numbers in the order of their names. */
  public double[] values(double... numbers) {
    var values = constants.clone();
    for (int i = 0; i < variables.length; i++) values[variables[i]] = numbers[i];
    for (var batch : batches) {
      if (batch.kind == Step.CHOICE) choose(values, batch);
      else calculate(OPERATORS[batch.kind], values, batch.from, batch.size(), batch.operands[0], batch.operands[1]);
    }
    var wanted = new double[results.length];
    for (int i = 0; i < wanted.length; i++) wanted[i] = values[results[i]];
    return wanted;
  }

  private static void choose(double[] values, Batch batch) {
    var numbers = batch.operands[0];
    var limits = batch.operands[1];
    var then = batch.operands[2];
    var otherwise = batch.operands[3];
    for (int i = 0; i < numbers.length; i++) {
      values[batch.from + i] = values[values[numbers[i]] <= values[limits[i]] ? then[i] : otherwise[i]];
    }
  }

  private static void calculate(Formula.Operator operator, double[] values, int from, int count, int[] left,
      int[] right) {
    switch (operator) {
      case ADD -> {
        for (int i = 0; i < count; i++) values[from + i] = values[left[i]] + values[right[i]];
      }
      case SUBTRACT -> {
        for (int i = 0; i < count; i++) values[from + i] = values[left[i]] - values[right[i]];
      }
      case MULTIPLY -> {
        for (int i = 0; i < count; i++) values[from + i] = values[left[i]] * values[right[i]];
      }
      case DIVIDE -> {
        for (int i = 0; i < count; i++) values[from + i] = values[left[i]] / values[right[i]];
      }
      case FLOOR_DIVIDE -> {
        for (int i = 0; i < count; i++) values[from + i] = Math.floor(values[left[i]] / values[right[i]]);
      }
      case CEIL_DIVIDE -> {
        for (int i = 0; i < count; i++) values[from + i] = Math.ceil(values[left[i]] / values[right[i]]);
      }
      case MIN -> {
        for (int i = 0; i < count; i++) values[from + i] = Math.min(values[left[i]], values[right[i]]);
      }
      case MAX -> {
        for (int i = 0; i < count; i++) values[from + i] = Math.max(values[left[i]], values[right[i]]);
      }
    }
  }
}
