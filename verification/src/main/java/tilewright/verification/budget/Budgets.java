package tilewright.verification.budget;

import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import tilewright.kernels.GemmProblem;
import tilewright.kernels.attention.AttentionProblem;
import tilewright.sm100.Sm100GemmConfig;
import tilewright.sm100.attention.Sm100AttentionConfig;
import tilewright.sm90.Sm90GemmConfig;
import tilewright.sm90.Sm90Gemms;
import tilewright.sm90.attention.Sm90AttentionConfig;
import tilewright.sm90.attention.Sm90AttentionKernel;

/**
 * Makes budgets. A kernel in one configuration is executed once, on small launches, however many problems it is asked
 * for: a step and a tile do the same in each.
 */
public final class Budgets {
  private final Map<List<Object>, Marginal> known = new HashMap<>();

  /** Ranks the first {@code most} configurations of a GEMM on an architecture by expected time. */
  public List<Budget> ranked(GemmProblem problem, String arch, int most) {
    var budgets = ChipRates.of(arch) == ChipRates.H200
        ? Sm90Gemms.configurations(problem).limit(most).map(config -> hopper(problem, config))
        : GemmTrace.blackwellConfigurations(problem).limit(most).map(config -> blackwell(problem, config));
    return budgets.sorted(Comparator.comparingDouble(Budget::expectedSeconds)).toList();
  }

  /** Ranks attention shapes likewise; on Blackwell they differ in the share of exponentials on FMA units. */
  public List<Budget> ranked(AttentionProblem problem, String arch, int most) {
    var budgets = ChipRates.of(arch) == ChipRates.H200
        ? Sm90AttentionKernel.shapes(problem).limit(most).map(shape -> hopper(problem, shape))
        : AttentionTrace.blackwellShapes(problem).limit(most).map(shape -> blackwell(problem, shape));
    return budgets.sorted(Comparator.comparingDouble(Budget::expectedSeconds)).toList();
  }

  /** The budget of the Hopper GEMM in a configuration. */
  public Budget hopper(GemmProblem problem, Sm90GemmConfig config) {
    var marginal = once(List.of(config), () -> GemmTrace.hopper(problem, config));
    return budget("sm90_gemm", GemmTrace.text(problem), config.toString(), ChipRates.H200, marginal,
        GemmTrace.work(problem, config));
  }

  /** The budget of the Blackwell GEMM in a configuration. */
  public Budget blackwell(GemmProblem problem, Sm100GemmConfig config) {
    var marginal = once(List.of(config), () -> GemmTrace.blackwell(problem, config));
    return budget("sm100_gemm", GemmTrace.text(problem), config.toString(), ChipRates.B200, marginal,
        GemmTrace.work(problem, config));
  }

  /** The budget of Hopper attention in a shape. */
  public Budget hopper(AttentionProblem problem, Sm90AttentionConfig.Shape shape) {
    var marginal = once(List.of(shape, problem.type()), () -> AttentionTrace.hopper(problem, shape));
    return budget("sm90_attention", AttentionTrace.text(problem), AttentionTrace.text(shape), ChipRates.H200, marginal,
        AttentionTrace.work(problem, AttentionTrace.queries(shape), shape.keys()));
  }

  /** The budget of Blackwell attention in a shape. */
  public Budget blackwell(AttentionProblem problem, Sm100AttentionConfig.Shape shape) {
    var marginal = once(List.of(shape, problem.type()), () -> AttentionTrace.blackwell(problem, shape));
    return budget("sm100_attention", AttentionTrace.text(problem), AttentionTrace.text(shape), ChipRates.B200, marginal,
        AttentionTrace.work(problem, AttentionTrace.BLACKWELL_QUERIES, shape.keys()));
  }

  private Marginal once(List<Object> kernel, Supplier<Marginal> trace) {
    var marginal = known.get(kernel);
    if (marginal == null) known.put(kernel, marginal = trace.get());
    return marginal;
  }

  private static Budget budget(String kernel, String problem, String configuration, ChipRates rates, Marginal marginal,
      Budget.Work work) {
    return new Budget(kernel, problem, configuration, rates, marginal.step(), marginal.tile(), work);
  }
}
