package tilewright.verification.budget;

import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import tilewright.kernels.GemmProblem;
import tilewright.kernels.attention.AttentionBackwardKernel;
import tilewright.kernels.attention.AttentionBackwardProblem;
import tilewright.kernels.attention.AttentionProblem;
import tilewright.kernels.attention.backward.Sm80AttentionBackwardKernel;
import tilewright.sm100.Sm100GemmConfig;
import tilewright.sm100.attention.Sm100AttentionConfig;
import tilewright.sm100.attention.Sm100AttentionKernel;
import tilewright.sm100.attention.backward.Sm100AttentionBackwardKernel;
import tilewright.sm90.Sm90GemmConfig;
import tilewright.sm90.Sm90Gemms;
import tilewright.sm90.attention.Sm90AttentionConfig;
import tilewright.sm90.attention.Sm90AttentionKernel;
import tilewright.sm90.attention.backward.Sm90AttentionBackwardKernel;

/**
 * Makes budgets. A kernel in one configuration is executed once, on small launches, however many problems it is asked
 * for: a step and a tile do the same in each.
 */
public final class Budgets {
  private static final List<AttentionBackwardKernel> GRADIENTS = List.of(new Sm80AttentionBackwardKernel(),
      new Sm90AttentionBackwardKernel(), new Sm100AttentionBackwardKernel());

  private final Map<List<Object>, Marginal> known = new HashMap<>();

  /** Ranks the first {@code most} configurations of a GEMM on an architecture by expected time. */
  public List<Budget> ranked(GemmProblem problem, String arch, int most) {
    var budgets = rates(arch) == ChipRates.H200
        ? Sm90Gemms.configurations(problem).limit(most).map(config -> hopper(problem, config))
        : GemmTrace.blackwellConfigurations(problem).limit(most).map(config -> blackwell(problem, config));
    return budgets.sorted(Comparator.comparingDouble(Budget::expectedSeconds)).toList();
  }

  /** Ranks attention shapes likewise; on Blackwell they differ in the share of exponentials on FMA units. */
  public List<Budget> ranked(AttentionProblem problem, String arch, int most) {
    boolean hopper = rates(arch) == ChipRates.H200;
    (hopper ? new Sm90AttentionKernel() : new Sm100AttentionKernel()).refusal(problem).ifPresent(reason -> {
      throw new IllegalArgumentException(reason);
    });
    var budgets = hopper
        ? Sm90AttentionKernel.shapes(problem).limit(most).map(shape -> hopper(problem, shape))
        : AttentionTrace.blackwellShapes(problem).limit(most).map(shape -> blackwell(problem, shape));
    return budgets.sorted(Comparator.comparingDouble(Budget::expectedSeconds)).toList();
  }

  /** Those of an architecture for which GEMMs and forward attention have budgets. */
  private static ChipRates rates(String arch) {
    if (ChipRates.of(arch) == ChipRates.A100) {
      throw new IllegalArgumentException("only attention's gradients have a budget for sm80");
    }
    return ChipRates.of(arch);
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
    var marginal = once(List.of(shape, problem.type(), problem.quantized()),
        () -> AttentionTrace.blackwell(problem, shape));
    return budget("sm100_attention", AttentionTrace.text(problem), AttentionTrace.text(shape), ChipRates.B200, marginal,
        AttentionTrace.work(problem, AttentionTrace.BLACKWELL_QUERIES, shape.keys()));
  }

  /**
   * The budget of the gradients of attention on an architecture.
   *
   * @throws IllegalArgumentException where the architecture's kernel cannot compute the problem
   */
  public Budget gradients(AttentionBackwardProblem problem, String arch) {
    var rates = ChipRates.of(arch);
    var kernel = GRADIENTS.stream().filter(k -> k.arch().equals(arch)).findFirst().orElseThrow();
    kernel.refusal(problem).ifPresent(reason -> {
      throw new IllegalArgumentException(reason);
    });
    var p = problem.forward();
    var tiles = kernel.tiles(problem);
    var marginal = once(List.of(arch, tiles, p.type(), p.sizes().headDim(), p.sizes().valueDim()),
        () -> AttentionBackwardTrace.of(kernel, problem));
    return budget(kernel.name(), AttentionTrace.text(p), AttentionBackwardTrace.text(tiles), rates, marginal,
        AttentionBackwardTrace.work(problem, tiles));
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
