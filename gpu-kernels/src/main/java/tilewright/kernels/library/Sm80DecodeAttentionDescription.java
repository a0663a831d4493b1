package tilewright.kernels.library;

import java.util.List;
import java.util.Optional;
import tilewright.kernel.Target;
import tilewright.kernels.attention.Attention;
import tilewright.kernels.attention.decoding.Sm80DecodeAttentionKernel;
import tilewright.kernels.attention.serving.Serving;
import tilewright.kernels.registry.Choice;
import tilewright.kernels.registry.Setting;
import tilewright.kernels.registry.Timing;
import tilewright.numerics.ElementType;

/** FlashDecoding on SM80. */
final class Sm80DecodeAttentionDescription extends AttentionDescription {
  private static final String SAME = "same";
  private static final String TOKENS = "e4m3-tokens";

  Sm80DecodeAttentionDescription() {
    this(new Sm80DecodeAttentionKernel());
  }

  private Sm80DecodeAttentionDescription(Sm80DecodeAttentionKernel kernel) {
    super(kernel, Target.SM80, "FlashDecoding, few queries on a cache");
  }

  @Override
  public Sm80DecodeAttentionDescription on(int capability) {
    return new Sm80DecodeAttentionDescription(new Sm80DecodeAttentionKernel().on(capability));
  }

  @Override
  public List<Setting> settings() {
    return List.of(Setting.types("dtype", ElementType.BF16, ElementType.F16),
        Setting.option("cache", SAME, ElementType.E4M3.text(), TOKENS), Setting.extent("batch", 1),
        Setting.extent("queries", 1), Setting.extent("keys", 8192), Setting.extent("heads", 32),
        Setting.extent("keyheads", 8), Setting.extent("dim", 128), Setting.option("causal", "no", "yes"));
  }

  @Override
  public Optional<Timing> timing() {
    return super.timing().map(DecodeTiming::new);
  }

  @Override
  protected Attention forward(Choice choice) {
    var attention = super.forward(choice);
    var s = sizes(choice);
    return switch (choice.text("cache")) {
      case SAME -> attention;
      case TOKENS -> attention.codes(Serving.Codes.perToken(s.keys(), s.keyHeads()));
      default -> attention.codes(Serving.Codes.perHead(s.keyHeads()));
    };
  }
}
