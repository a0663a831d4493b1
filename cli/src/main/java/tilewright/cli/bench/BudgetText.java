package tilewright.cli.bench;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import tilewright.cli.io.TextTable;
import tilewright.verification.budget.Amount;
import tilewright.verification.budget.Budget;
import tilewright.verification.budget.Counts;
import tilewright.verification.budget.RecordedRates;
import tilewright.verification.budget.Unit;

/** A budget as a table for a terminal, and as an object for programs. */
final class BudgetText {
  private BudgetText() {}

  /**
   * A budget for programs.
   *
   * @param model that none of it was measured
   * @param step amounts of a step of the main loop; {@code tile} those of a tile beside its steps
   * @param stepCycles of each unit for a step; {@code cycles} those for a tile of average length
   * @param attainable of the tensor cores' peak
   */
  record Row(boolean model, String kernel, String problem, String configuration, String chip,
      Map<String, Double> step, Map<String, Double> tile, Map<String, Double> stepCycles, Map<String, Double> cycles,
      String bottleneck,
      boolean memoryBound, double attainable, double boundTflops, double expectedTflops) {}

  static Row row(Budget b) {
    var step = new LinkedHashMap<String, Double>();
    var cycles = new LinkedHashMap<String, Double>();
    for (var unit : Unit.values()) {
      step.put(unit.toString(), b.rates().cycles(b.step(), unit));
      cycles.put(unit.toString(), b.cycles(unit));
    }
    return new Row(true, b.kernel(), b.problem(), b.configuration(), b.rates().chip().name(), amounts(b.step()),
        amounts(b.tile()), step, cycles, b.bottleneck().toString(), b.isMemoryBound(), b.attainable(), b.tflops(),
        b.expectedTflops());
  }

  private static Map<String, Double> amounts(Counts counts) {
    var amounts = new LinkedHashMap<String, Double>();
    for (var amount : Amount.values()) amounts.put(amount.toString(), counts.of(amount));
    return amounts;
  }

  static String of(Budget b) {
    var table = new TextTable("unit", "a cycle", "cycles a step", "beside steps", "a tile", "of the most");
    double most = b.cycles(b.bottleneck());
    for (var unit : Unit.values()) {
      table.add(unit.toString(), "" + b.rates().perCycle().get(unit), number(b.rates().cycles(b.step(), unit)),
          number(b.rates().cycles(b.tile(), unit)), number(b.cycles(unit)), percent(b.cycles(unit) / most));
    }
    return b.kernel() + " " + b.problem() + ", " + b.configuration() + ", on " + b.rates().chip().name()
        + ": a model, not a measurement\n\n" + table + "\n\n" + verdict(b);
  }

  private static String verdict(Budget b) {
    return "bound by " + (b.isMemoryBound() ? "global memory" : "the " + b.bottleneck()) + ": at most "
        + percent(b.attainable()) + " of the tensor cores' peak, " + number(b.tflops())
        + " TFLOP/s (model)\nif units hinder each other as on an H200: " + number(b.expectedTflops())
        + " TFLOP/s (model)";
  }

  static String ranking(List<Budget> budgets) {
    var table = new TextTable("configuration", "bound by", "at most", "TFLOP/s at most (model)", "expected (model)");
    for (var b : budgets) {
      table.add(b.configuration(), boundBy(b), percent(b.attainable()), number(b.tflops()), number(b.expectedTflops()));
    }
    return table.toString();
  }

  /**
   * A measurement beside the model, in TFLOP/s.
   *
   * @param row the name in the record of measurements
   */
  record Compared(String row, String problem, String configuration, String bottleneck, double bound, double expected,
      double measured) {
    static Compared of(RecordedRates.Row row) {
      var b = row.budget();
      return new Compared(row.config(), b.problem(), b.configuration(), boundBy(b), row.bound(), row.expected(),
          row.measured());
    }
  }

  static String comparison(RecordedRates rates) {
    var table = new TextTable("problem", "configuration", "bound by", "bound", "expected", "measured", "ratio");
    for (var row : rates.rows()) {
      table.add(row.budget().problem(), row.budget().configuration(), boundBy(row.budget()), number(row.bound()),
          number(row.expected()), number(row.measured()), String.format(Locale.ROOT, "%.2f", row.ratio()));
    }
    return table + String.format(Locale.ROOT, "%n%nmeasured over expected: %.3f in the geometric mean, off by %.1f %%",
        rates.mean(), 100 * rates.error());
  }

  private static String boundBy(Budget b) {
    return b.isMemoryBound() ? "global memory" : b.bottleneck().toString();
  }

  private static String number(double value) {
    return String.format(Locale.ROOT, "%,.0f", value);
  }

  private static String percent(double part) {
    return String.format(Locale.ROOT, "%.1f %%", 100 * part);
  }
}
