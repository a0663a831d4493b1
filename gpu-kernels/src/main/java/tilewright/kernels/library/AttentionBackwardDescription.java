package tilewright.kernels.library;

import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import tilewright.kernel.LaunchSequence;
import tilewright.kernel.PreparedLaunch;
import tilewright.kernel.Target;
import tilewright.kernels.attention.AttentionBackwardKernel;
import tilewright.kernels.attention.AttentionKernel;
import tilewright.kernels.registry.Choice;
import tilewright.kernels.registry.KernelDescription;
import tilewright.kernels.registry.Setting;
import tilewright.kernels.registry.Timing;

/** A kernel of attention's gradients. */
public abstract class AttentionBackwardDescription implements KernelDescription {
  private final AttentionBackwardKernel kernel;
  private final AttentionKernel forward;
  private final Target target;
  private final String algorithm;

  /**
   * @param forward the kernel of the forward pass on the same architecture
   * @param algorithm the paper that it follows, such as {@code FlashAttention-2}
   */
  protected AttentionBackwardDescription(AttentionBackwardKernel kernel, AttentionKernel forward, Target target,
      String algorithm) {
    this.kernel = kernel;
    this.forward = forward;
    this.target = target;
    this.algorithm = algorithm;
  }

  @Override
  public final String name() {
    return kernel.name();
  }

  @Override
  public final String formula() {
    return "dQ, dK, dV of O = softmax(Q·Kᵀ/√D)·V from dO on tensor cores: " + algorithm
        + "; (batch, sequence, heads, dim)";
  }

  @Override
  public final List<Setting> settings() {
    return Stream.concat(AttentionDescription.ofProblem().stream(),
        Stream.of(Setting.option("deterministic", "no", "yes"))).toList();
  }

  @Override
  public final Target target() {
    return target;
  }

  public final AttentionBackwardKernel kernel() {
    return kernel;
  }

  @Override
  public Optional<Timing> timing() {
    return Optional.of(new AttentionBackwardTiming(kernel, forward));
  }

  /** The launch of the products, between those that prepare rows and round dQ. */
  @Override
  public final PreparedLaunch launchFor(Choice choice) {
    return sequenceFor(choice).launches().get(1);
  }

  @Override
  public final LaunchSequence sequenceFor(Choice choice) {
    var backward = AttentionDescription.attention(choice).backward();
    return (choice.text("deterministic").equals("yes") ? backward.deterministic() : backward).prepare(List.of(kernel));
  }
}
