package tilewright.kernels.attention.merging;

import java.util.List;
import java.util.Optional;
import tilewright.kernel.LaunchArguments;
import tilewright.kernels.attention.AttentionArguments;
import tilewright.kernels.attention.AttentionProblem;
import tilewright.kernels.attention.AttentionProblem.Apart;
import tilewright.kernels.attention.AttentionProblem.Sizes;
import tilewright.kernels.attention.AttentionProblem.View;
import tilewright.numerics.ElementType;

/**
 * The results of {@link StateMerge}. They may lie in the place of one of the states, if types agree.
 *
 * @param type of O: f32, f16 or bf16
 * @param o (B,Sq,H,Dv)
 * @param lse (B,Sq,H) of FP32, if the logarithms are stored
 * @param sinks buffer of a logit of each head that takes part in its rows' softmax, where no state counts it
 * @param apart places of the rows' maxima and sums, which merging states with maxima and sums stores
 */
public record MergedState(ElementType type, View o, Optional<View> lse, Optional<String> sinks, Optional<Apart> apart) {

  /** Results with logarithms, or without. */
  public MergedState(ElementType type, View o, Optional<View> lse, Optional<String> sinks) {
    this(type, o, lse, sinks, Optional.empty());
  }

  /** The results of a problem. */
  static MergedState of(AttentionProblem p) {
    return new MergedState(p.outputType(), p.o(), p.lse(), p.sinks(), p.apart());
  }

  /** O (B,Sq,H,Dv) in "O" and the logarithms (B,H,Sq) in "LSE". */
  public static MergedState dense(ElementType type, Sizes s) {
    return new MergedState(type, View.bshd("O", s.queries(), s.heads(), s.valueDim()),
        Optional.of(View.bhsd("LSE", s.queries(), s.heads(), 1)), Optional.empty());
  }

  /** Returns these with a logit of each head. */
  public MergedState withSinks(String buffer) {
    return new MergedState(type, o, lse, Optional.of(buffer), apart);
  }

  /** Returns these with maxima and sums in the place of logarithms. */
  public MergedState with(Apart places) {
    return new MergedState(type, o, Optional.empty(), sinks, Optional.of(places));
  }

  LaunchArguments addTo(LaunchArguments arguments, Sizes s) {
    arguments.tensor("O", new LaunchArguments.Tensor(o.buffer(), o.offset(),
        List.of((long) s.queries(), (long) s.valueDim(), (long) s.heads(), (long) s.batch()),
        List.of(o.sequence(), o.dim(), o.head(), o.batch())));
    lse.ifPresent(view -> arguments.tensor("LSE", AttentionArguments.ofRows(view, s)));
    apart.ifPresent(places -> arguments.tensor("Maxima", AttentionArguments.ofRows(places.maxima(), s))
        .tensor("Sums", AttentionArguments.ofRows(places.sums(), s)));
    sinks.ifPresent(buffer -> arguments.tensor("sinks", new LaunchArguments.Tensor(buffer, 0,
        List.of((long) s.heads()), List.of(1L))));
    return arguments;
  }
}
