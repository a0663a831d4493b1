package tilewright.kernels.library;

import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import tilewright.kernel.Target;
import tilewright.kernels.attention.Sm89AttentionKernel;
import tilewright.kernels.registry.Setting;
import tilewright.kernels.registry.Timing;
import tilewright.numerics.ElementType;

/** FlashAttention-2 of e4m3 operands on SM89. */
final class Sm89AttentionDescription extends AttentionDescription {
  Sm89AttentionDescription() {
    this(new Sm89AttentionKernel());
  }

  private Sm89AttentionDescription(Sm89AttentionKernel kernel) {
    super(kernel, Target.SM89, "FlashAttention-2 on e4m3 operands");
  }

  @Override
  public Sm89AttentionDescription on(int capability) {
    return new Sm89AttentionDescription(new Sm89AttentionKernel().on(capability));
  }

  @Override
  public List<Setting> settings() {
    return Stream.concat(Stream.of(Setting.types("dtype", ElementType.E4M3),
        Setting.types("out", ElementType.BF16, ElementType.F16)), ofProblem().stream().skip(1)).toList();
  }

  @Override
  public Optional<Timing> timing() {
    return Optional.empty();
  }
}
