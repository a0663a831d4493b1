package tilewright.kernels.library;

import java.util.List;
import java.util.Optional;
import tilewright.kernel.PreparedLaunch;
import tilewright.kernel.Target;
import tilewright.kernels.attention.Attention;
import tilewright.kernels.attention.AttentionKernel;
import tilewright.kernels.attention.AttentionProblem;
import tilewright.kernels.registry.Choice;
import tilewright.kernels.registry.KernelDescription;
import tilewright.kernels.registry.Setting;
import tilewright.kernels.registry.Timing;
import tilewright.numerics.ElementType;

/** A kernel of attention. */
public abstract class AttentionDescription implements KernelDescription {
  private final AttentionKernel kernel;
  private final Target target;
  private final String algorithm;

  /** @param algorithm the paper that it follows, such as {@code FlashAttention-2} */
  protected AttentionDescription(AttentionKernel kernel, Target target, String algorithm) {
    this.kernel = kernel;
    this.target = target;
    this.algorithm = algorithm;
  }

  @Override
  public final String name() {
    return kernel.name();
  }

  @Override
  public final String formula() {
    return "O = softmax(Q·Kᵀ/√D)·V on tensor cores: " + algorithm + "; (batch, sequence, heads, dim)";
  }

  @Override
  public List<Setting> settings() {
    return ofProblem();
  }

  /** The settings that describe a problem: the operands' type, and the others. */
  protected static List<Setting> ofProblem() {
    return List.of(Setting.types("dtype", ElementType.BF16, ElementType.F16), Setting.extent("batch", 1),
        Setting.extent("queries", 1024), Setting.extent("keys", 1024), Setting.extent("heads", 16),
        Setting.extent("keyheads", 16), Setting.extent("dim", 128), Setting.option("causal", "no", "yes"));
  }

  @Override
  public final Target target() {
    return target;
  }

  public final AttentionKernel kernel() {
    return kernel;
  }

  @Override
  public Optional<Timing> timing() {
    return Optional.of(new AttentionTiming(kernel));
  }

  @Override
  public final PreparedLaunch launchFor(Choice choice) {
    return forward(choice).prepare(List.of(kernel));
  }

  /** The attention that a choice of {@link #settings} describes. */
  protected Attention forward(Choice choice) {
    return attention(choice);
  }

  /** The attention that a choice of {@link #ofProblem} describes. */
  static Attention attention(Choice choice) {
    var sizes = sizes(choice);
    var type = choice.type("dtype");
    var attention = type == ElementType.E4M3
        ? Attention.forward(AttentionProblem.Quantized.perHead(choice.type("out"), sizes), sizes)
        : Attention.forward(type, sizes);
    return masked(attention, choice);
  }

  /** The extents of a choice. */
  protected static AttentionProblem.Sizes sizes(Choice choice) {
    int dim = choice.number("dim");
    return new AttentionProblem.Sizes(choice.number("batch"), choice.number("queries"), choice.number("keys"),
        choice.number("heads"), choice.number("keyheads"), dim, dim);
  }

  /** Attention with the mask of a choice. */
  protected static Attention masked(Attention attention, Choice choice) {
    return choice.text("causal").equals("yes") ? attention.causal() : attention;
  }
}
