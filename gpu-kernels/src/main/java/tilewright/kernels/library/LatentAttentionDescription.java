package tilewright.kernels.library;

import java.util.List;
import java.util.Optional;
import tilewright.kernel.Target;
import tilewright.kernels.attention.Attention;
import tilewright.kernels.attention.AttentionKernel;
import tilewright.kernels.attention.AttentionProblem;
import tilewright.kernels.registry.Choice;
import tilewright.kernels.registry.Setting;
import tilewright.kernels.registry.Timing;
import tilewright.numerics.ElementType;

/** A kernel of multi-head latent attention, absorbed: all heads read one row of K, whose first columns are V. */
public abstract class LatentAttentionDescription extends AttentionDescription {
  /** Columns of V in DeepSeek's models. */
  static final int VALUE_DIM = 512;
  /** Columns of K, of which the last have rotary positions. */
  static final int HEAD_DIM = VALUE_DIM + 64;

  /** @param algorithm that it follows */
  protected LatentAttentionDescription(AttentionKernel kernel, Target target, String algorithm) {
    super(kernel, target, algorithm);
  }

  @Override
  public List<Setting> settings() {
    return List.of(Setting.types("dtype", ElementType.BF16, ElementType.F16), Setting.extent("batch", 1),
        Setting.extent("queries", 1), Setting.extent("keys", 8192), Setting.extent("heads", 128),
        Setting.option("causal", "no", "yes"));
  }

  @Override
  public Optional<Timing> timing() {
    return Optional.of(new LatentTiming(kernel()));
  }

  @Override
  protected Attention forward(Choice choice) {
    return masked(Attention.of(AttentionProblem.latent(choice.type("dtype"), choice.number("batch"),
        choice.number("queries"), choice.number("keys"), choice.number("heads"), HEAD_DIM, VALUE_DIM)), choice);
  }
}
