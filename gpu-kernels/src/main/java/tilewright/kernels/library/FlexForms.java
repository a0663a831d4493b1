package tilewright.kernels.library;

import java.util.List;
import java.util.function.Function;
import tilewright.kernel.LaunchArguments;
import tilewright.kernel.collective.attention.Band;
import tilewright.kernel.collective.attention.CapturedTensor;
import tilewright.kernel.collective.attention.Captures;
import tilewright.kernel.collective.attention.Masks;
import tilewright.kernel.collective.attention.Modification;
import tilewright.kernel.collective.attention.ScoreMod;
import tilewright.kernel.collective.attention.Scores;
import tilewright.kernels.attention.AttentionProblem.Sizes;
import tilewright.kernels.library.AttentionForm.Pairs;
import tilewright.kernels.registry.TimedProblem.Content;
import tilewright.kernels.registry.TimedProblem.Tensor;
import tilewright.numerics.ElementType;

/**
 * The forms that are measured beside FlexAttention ({@code peers.py} has the same functions). Causal masks and windows
 * are bands, as a user of this library writes them.
 */
final class FlexForms {
  static final String NAME = "flex";

  private static final int DOCUMENT = 1500;
  private static final int WINDOW = 1024;
  private static final int PREFIX = 512;
  private static final float CAP = 20;
  private static final CapturedTensor SLOPES = CapturedTensor.of("slopes", ElementType.F32, 1);
  private static final CapturedTensor DOCUMENTS = CapturedTensor.of("documents", ElementType.I32, 2);
  private static final CapturedTensor TABLE = CapturedTensor.of("relative", ElementType.F32, 2);

  static final List<AttentionForm> ALL = List.of(
      form("noop", Modification.NONE, Pairs.ALL), banded("causal", Band.CAUSAL, Pairs.HALF),
      reading("alibi", s -> Modification.NONE.then(Scores.alibi(SLOPES))
          .with(Captures.NONE.and(Captures.Given.dense(SLOPES, s.heads()))), Pairs.ALL,
          s -> new Tensor(SLOPES.name(), SLOPES.type(), s.heads(), new Content.Normal(0.1))),
      form("softcap", Modification.NONE.then(ScoreMod.softcap(CAP)), Pairs.ALL),
      reading("document", s -> Modification.NONE.and(Masks.document(DOCUMENTS))
          .with(Captures.NONE.and(new Captures.Given(DOCUMENTS, documents(s)))), (q, k) -> q * Math.min(k, DOCUMENT),
          s -> new Tensor(DOCUMENTS.name(), DOCUMENTS.type(), s.keys(), new Content.Ranges(DOCUMENT)))
          .skippingBlocks(),
      banded("window", Band.window(WINDOW, 0), (q, k) -> q * Math.min(k, WINDOW)),
      form("prefix", Modification.NONE.and(Masks.prefixLm(PREFIX)), AttentionForm.prefix(PREFIX)).skippingBlocks(),
      reading("relative", s -> Modification.NONE.then(Scores.relative(TABLE, s.queries()))
          .with(Captures.NONE.and(Captures.Given.dense(TABLE, s.heads(), distances(s)))), Pairs.ALL,
          s -> Tensor.input(TABLE.name(), TABLE.type(), s.heads() * distances(s))));

  private FlexForms() {}

  private static AttentionForm form(String name, Modification modification, Pairs pairs) {
    return AttentionForm.form(NAME + "-" + name, modification, pairs);
  }

  private static AttentionForm banded(String name, Band band, Pairs pairs) {
    return new AttentionForm(NAME + "-" + name, _ -> Modification.NONE, band, false, pairs, _ -> List.of());
  }

  private static AttentionForm reading(String name, Function<Sizes, Modification> modification, Pairs pairs,
      Function<Sizes, Tensor> data) {
    return new AttentionForm(NAME + "-" + name, modification, Band.ALL, false, pairs, s -> List.of(data.apply(s)));
  }

  private static long distances(Sizes s) {
    return (long) s.queries() + s.keys() - 1;
  }

  /** The numbers of documents of positions, which batch entries share. */
  private static LaunchArguments.Tensor documents(Sizes s) {
    return new LaunchArguments.Tensor(DOCUMENTS.name(), 0, List.of((long) s.batch(), (long) s.keys()), List.of(0L, 1L));
  }
}
