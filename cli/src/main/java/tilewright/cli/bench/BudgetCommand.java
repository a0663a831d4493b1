package tilewright.cli.bench;

import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import tilewright.cli.io.CommandFailure;
import tilewright.cli.io.Console;
import tilewright.cli.io.Examples;
import tilewright.cli.io.Exit;
import tilewright.cli.io.InputFile;
import tilewright.cli.kernel.ChosenSettings;
import tilewright.kernel.collective.attention.Band;
import tilewright.kernels.GemmProblem;
import tilewright.kernels.attention.AttentionBackwardProblem;
import tilewright.kernels.attention.AttentionProblem;
import tilewright.kernels.attention.AttentionProblem.Sizes;
import tilewright.kernels.library.GemmSettings;
import tilewright.kernels.registry.Choice;
import tilewright.kernels.registry.InvalidSettingException;
import tilewright.kernels.registry.Setting;
import tilewright.numerics.ElementType;
import tilewright.sm100.attention.Mxf8Scales;
import tilewright.verification.budget.Budget;
import tilewright.verification.budget.Budgets;
import tilewright.verification.budget.RecordedRates;
import tools.jackson.core.JacksonException;

/** {@code tilewright budget}: what a kernel asks of each unit of an SM, and which bounds it. */
@Command(name = "budget", description = {
    "Count what a kernel's instructions ask of each unit of an H200 (sm90) or a B200 (sm100), and name what bounds it.",
    "Attention's gradients have a budget for an A100 (sm80), too.",
    "It is a model: the kernel runs on the simulator, and published throughputs turn its counts into cycles."})
@Examples({"budget gemm --arch sm90", "budget attention --set mask=causal"})
public final class BudgetCommand implements Callable<Integer> {
  private static final String MXF8 = AttentionProblem.Format.MXF8.text();
  private static final List<Setting> GEMM = List.of(Setting.count("m", 8192), Setting.count("n", 8192),
      Setting.count("k", 8192), Setting.types("dtype", ElementType.BF16, ElementType.F16), GemmSettings.ORDER);
  private static final List<Setting> ATTENTION = List.of(Setting.count("batch", 4), Setting.count("heads", 16),
      Setting.count("queries", 8192), Setting.count("keys", 8192), Setting.count("dim", 128),
      Setting.option("dtype", ElementType.BF16.text(), ElementType.F16.text(), ElementType.E4M3.text(), MXF8),
      Setting.option("mask", "none", "causal"));

  private final Console console;

  @Parameters(paramLabel = "KERNEL", arity = "0..1", description = "gemm, attention or attention_backward.")
  private String kernel = "";

  @Option(names = "--arch", paramLabel = "sm80|sm90|sm100", defaultValue = "sm100",
      description = "Whose kernel, and so which GPU: sm80 an A100, sm90 an H200, sm100 a B200 (default: sm100).")
  private String arch;

  @Option(names = "--set", paramLabel = "NAME=VALUE", description = {
      "A problem's setting; may be repeated. Of gemm: m, n, k, dtype, order (default: 8192 cubed, bf16, TN).",
      "Of attention: batch, heads, queries, keys, dim, dtype, mask (none or causal)."})
  private Map<String, String> chosen = new LinkedHashMap<>();

  @Option(names = "--most", paramLabel = "N", defaultValue = "1",
      description = "Configurations to compare, the one expected to be fastest first (default: 1).")
  private int most;

  @Option(names = "--compare", paramLabel = "RECORD",
      description = "Instead, compare the Hopper kernels' rates in a record of bench with those of the model.")
  private Path record;

  public BudgetCommand(Console console) {
    this.console = console;
  }

  @Override
  public Integer call() {
    if (most < 1) throw CommandFailure.badInput("invalid --most " + most + ": needed is an integer from 1 on");
    if (record != null) return compare();
    var budgets = budgets();
    for (var budget : budgets) {
      if (console.json()) console.result(BudgetText.row(budget), "");
    }
    if (!console.json()) {
      console.text(BudgetText.of(budgets.getFirst()));
      if (budgets.size() > 1) console.text("\n" + BudgetText.ranking(budgets));
    }
    return Exit.OK;
  }

  private int compare() {
    try {
      var rates = RecordedRates.of(InputFile.text(record), new Budgets());
      if (rates.rows().isEmpty()) {
        throw CommandFailure.badFile(record, "no rows of sm90_gemm, sm90_attention or sm90_attention_backward");
      }
      rates.unknown().forEach(row -> console.note("no configuration any more: " + row));
      if (console.json()) rates.rows().forEach(row -> console.result(BudgetText.Compared.of(row), ""));
      else console.text(BudgetText.comparison(rates));
      return Exit.OK;
    } catch (JacksonException e) {
      throw CommandFailure.badFile(record, "is no record of bench: " + e.getOriginalMessage());
    }
  }

  private List<Budget> budgets() {
    try {
      return switch (kernel) {
        case "gemm" -> new Budgets().ranked(gemm(chosen(GEMM)), arch, most);
        case "attention_backward" -> List.of(new Budgets().gradients(
            AttentionBackwardProblem.dense(attention(chosen(ATTENTION))), arch));
        case "attention" -> new Budgets().ranked(attention(chosen(ATTENTION)), arch, most);
        default -> throw CommandFailure.badInput("no budget of " + (kernel.isEmpty() ? "nothing" : kernel)
            + ": gemm, attention or attention_backward");
      };
    } catch (InvalidSettingException e) {
      throw ChosenSettings.invalid(e);
    } catch (IllegalArgumentException e) {
      throw CommandFailure.badInput(e.getMessage());
    }
  }

  private Choice chosen(List<Setting> settings) {
    var defaults = new Choice(settings.stream().collect(Collectors.toMap(Setting::name, s -> s.values().getFirst(),
        (first, _) -> first, LinkedHashMap::new)));
    var choice = ChosenSettings.over(defaults, chosen);
    for (var setting : settings) setting.require(choice.text(setting.name()));
    return choice;
  }

  private static GemmProblem gemm(Choice s) {
    var type = s.type("dtype");
    return GemmProblem.packed(type, type, s.number("m"), s.number("n"), s.number("k"), 1, s.text("order"));
  }

  private static AttentionProblem attention(Choice s) {
    var sizes = Sizes.of(s.number("batch"), s.number("queries"), s.number("keys"), s.number("heads"), s.number("dim"));
    var problem = problem(s, sizes);
    return s.text("mask").equals("causal") ? problem.with(Band.CAUSAL) : problem;
  }

  private static AttentionProblem problem(Choice s, Sizes sizes) {
    if (s.text("dtype").equals(MXF8)) return AttentionProblem.dense(Mxf8Scales.of(ElementType.BF16, sizes), sizes);
    var type = s.type("dtype");
    return type == ElementType.E4M3
        ? AttentionProblem.dense(AttentionProblem.Quantized.perHead(ElementType.BF16, sizes), sizes)
        : AttentionProblem.dense(type, sizes);
  }
}
