package tilewright.sm120.library;

import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import tilewright.kernel.Target;
import tilewright.kernels.attention.Attention;
import tilewright.kernels.library.AttentionDescription;
import tilewright.kernels.registry.Choice;
import tilewright.kernels.registry.Setting;
import tilewright.kernels.registry.Timing;
import tilewright.numerics.ElementType;
import tilewright.sm100.attention.Mxf8Scales;
import tilewright.sm120.Sm120AttentionKernel;

/** FlashAttention-2 of mxf8 operands on SM120. */
final class Sm120AttentionDescription extends AttentionDescription {
  Sm120AttentionDescription() {
    super(new Sm120AttentionKernel(), Target.SM120A, "FlashAttention-2 on mxf8 operands");
  }

  @Override
  public List<Setting> settings() {
    return Stream.concat(Stream.of(Setting.types("out", ElementType.BF16, ElementType.F16)),
        ofProblem().stream().skip(1)).toList();
  }

  @Override
  protected Attention forward(Choice choice) {
    var sizes = sizes(choice);
    return masked(Attention.forward(Mxf8Scales.of(choice.type("out"), sizes), sizes), choice);
  }

  /** Nothing: no GPU of SM120 was at hand. */
  @Override
  public Optional<Timing> timing() {
    return Optional.empty();
  }
}
