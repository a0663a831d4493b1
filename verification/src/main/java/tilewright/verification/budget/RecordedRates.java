package tilewright.verification.budget;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import tilewright.kernel.collective.attention.Band;
import tilewright.kernels.GemmProblem;
import tilewright.kernels.attention.AttentionBackwardProblem;
import tilewright.kernels.attention.AttentionProblem.Sizes;
import tilewright.kernels.attention.AttentionProblem;
import tilewright.numerics.ElementType;
import tilewright.sm90.Sm90Gemms;
import tilewright.sm90.attention.Sm90AttentionKernel;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * Rates that were measured on an H200 beside those of the model.
 *
 * @param rows in the record's order
 * @param unknown rows whose configuration is none of the kernel's any more
 */
public record RecordedRates(List<Row> rows, List<String> unknown) {
  private static final Pattern GEMM = Pattern.compile("(\\d+)x(\\d+)x(\\d+) (([TN]{2}) (b?f16)->\\6 .*)");
  private static final Pattern ATTENTION = Pattern.compile("(b?f16) B=(\\d+) S=(\\d+) H=(\\d+) D=(\\d+)( causal)?");
  private static final double TERA = 1e12;

  public RecordedRates {
    rows = List.copyOf(rows);
    unknown = List.copyOf(unknown);
  }

  /**
   * One measurement.
   *
   * @param config the row's name in the record
   * @param measured in TFLOP/s; {@code bound} and {@code expected} likewise, with operations as the record counts them
   */
  public record Row(String config, Budget budget, double measured, double bound, double expected) {
    /** Measured over expected: 1 where the model is right. */
    public double ratio() {
      return measured / expected;
    }
  }

  /**
   * Rows of {@code sm90_gemm}, {@code sm90_attention} and {@code sm90_attention_backward} in a benchmark record.
   *
   * @throws tools.jackson.core.JacksonException when the text is no such record
   */
  public static RecordedRates of(String record, Budgets budgets) {
    var rows = new ArrayList<Row>();
    var unknown = new ArrayList<String>();
    for (var row : JsonMapper.shared().readTree(record).required("rows")) {
      var config = row.required("config").asString();
      budget(row, budgets).ifPresentOrElse(budget -> {
        double operations = row.required("operations").asDouble() / TERA;
        rows.add(new Row(config, budget, row.required("ours").asDouble(), operations / budget.seconds(),
            operations / budget.expectedSeconds()));
      }, () -> unknown.add(config));
    }
    return new RecordedRates(rows, unknown);
  }

  private static Optional<Budget> budget(JsonNode row, Budgets budgets) {
    var config = row.required("config").asString();
    return switch (row.required("kernel").asString()) {
      case "sm90_gemm" -> match(GEMM, config).flatMap(m -> gemm(m, budgets));
      case "sm90_attention" -> match(ATTENTION, config).map(m -> attention(m, budgets));
      case "sm90_attention_backward" -> match(ATTENTION, config).map(m ->
          budgets.gradients(AttentionBackwardProblem.dense(problem(m)), "sm90"));
      default -> Optional.empty();
    };
  }

  private static Optional<MatchResult> match(Pattern pattern, String config) {
    var matcher = pattern.matcher(config);
    return matcher.matches() ? Optional.of(matcher.toMatchResult()) : Optional.empty();
  }

  private static Optional<Budget> gemm(MatchResult m, Budgets budgets) {
    var type = ElementType.parse(m.group(6)).orElseThrow();
    var problem = GemmProblem.packed(type, type, number(m, 1), number(m, 2), number(m, 3), 1, m.group(5));
    return Sm90Gemms.configurations(problem).filter(config -> config.toString().equals(m.group(4))).findFirst()
        .map(config -> budgets.hopper(problem, config));
  }

  private static Budget attention(MatchResult m, Budgets budgets) {
    var problem = problem(m);
    return budgets.hopper(problem, Sm90AttentionKernel.shapes(problem).findFirst().orElseThrow());
  }

  private static AttentionProblem problem(MatchResult m) {
    var dense = AttentionProblem.dense(ElementType.parse(m.group(1)).orElseThrow(),
        Sizes.of(number(m, 2), number(m, 3), number(m, 3), number(m, 4), number(m, 5)));
    return m.group(6) == null ? dense : dense.with(Band.CAUSAL);
  }

  private static int number(MatchResult m, int group) {
    return Integer.parseInt(m.group(group));
  }

  /** The geometric mean of measured over expected. */
  public double mean() {
    return Math.exp(rows.stream().mapToDouble(row -> Math.log(row.ratio())).average().orElseThrow());
  }

  /** The mean of what the expectation is off by, as a part of the expectation. */
  public double error() {
    return rows.stream().mapToDouble(row -> Math.abs(row.ratio() - 1)).average().orElseThrow();
  }
}
