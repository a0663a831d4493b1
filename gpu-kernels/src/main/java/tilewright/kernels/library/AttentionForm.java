package tilewright.kernels.library;

import java.util.List;
import java.util.function.Function;
import java.util.stream.Stream;
import tilewright.kernel.collective.attention.Band;
import tilewright.kernel.collective.attention.MaskMod;
import tilewright.kernel.collective.attention.Masks;
import tilewright.kernel.collective.attention.Modification;
import tilewright.kernel.collective.attention.ScoreMod;
import tilewright.kernel.collective.attention.Scores;
import tilewright.kernels.attention.AttentionProblem;
import tilewright.kernels.attention.AttentionProblem.Sizes;
import tilewright.kernels.registry.TimedProblem;

/**
 * A change of the scores: functions as users write them.
 *
 * @param modification of the scores of a problem of these extents
 * @param band that is part of the form
 * @param skipping whether blocks that the mask hides are left out
 * @param pairs of a query and a key that are seen, of a head
 * @param data that functions read, for a problem of these extents
 */
public record AttentionForm(String name, Function<Sizes, Modification> modification, Band band, boolean skipping,
    Pairs pairs, Function<Sizes, List<TimedProblem.Tensor>> data) {
  /** The number of pairs of a query and a key of a head that are seen, given those of queries and keys. */
  @FunctionalInterface
  public interface Pairs {
    double of(double queries, double keys);

    Pairs ALL = (queries, keys) -> queries * keys;
    Pairs HALF = (queries, keys) -> queries * keys / 2;
  }

  /** Scores as they are. */
  public static final AttentionForm PLAIN = form("plain", Modification.NONE, Pairs.ALL);
  /** Sequences of different lengths, one after the other. */
  public static final AttentionForm VARLEN = form("varlen", Modification.NONE, Pairs.ALL);
  private static final float CAP = 30;
  private static final int PREFIX = 1024;
  private static final int DOCUMENT = 1024;
  private static final MaskMod IN_DOCUMENT =
      Masks.causal().and((_, _, q, k) -> q.dividedBy(DOCUMENT).equalTo(k.dividedBy(DOCUMENT)));
  private static final List<AttentionForm> OWN = List.of(PLAIN, VARLEN,
      form("softcap", Modification.NONE.then(ScoreMod.softcap(CAP)), Pairs.ALL),
      form("alibi", Modification.NONE.then(Scores.alibi(16)), Pairs.ALL),
      // Of which every block has a part.
      form("mask", Modification.NONE.and((_, _, q, k) -> q.plus(k).modulo(4).atLeast(1)), (q, k) -> 0.75 * q * k),
      form("causal-mask", Modification.NONE.and(Masks.causal()), Pairs.HALF).skippingBlocks(),
      form("prefix", Modification.NONE.and(Masks.prefixLm(PREFIX)), prefix(PREFIX)).skippingBlocks(),
      form("documents", Modification.NONE.and(IN_DOCUMENT), (q, k) -> k * Math.min(k, DOCUMENT) / 2)
          .skippingBlocks());

  /** A form that reads no data. */
  static AttentionForm form(String name, Modification modification, Pairs pairs) {
    return new AttentionForm(name, _ -> modification, Band.ALL, false, pairs, _ -> List.of());
  }

  AttentionForm skippingBlocks() {
    return new AttentionForm(name, modification, band, true, pairs, data);
  }

  /** The pairs where a causal mask shows all keys before a number. */
  static Pairs prefix(int prefix) {
    return (queries, keys) -> keys <= prefix ? keys * keys : queries * keys / 2 + prefix * (double) prefix / 2;
  }

  /**
   * The forms of a name; {@code flex} is those that are measured beside FlexAttention.
   *
   * @throws IllegalArgumentException when there is no such form
   */
  static List<AttentionForm> named(String name) {
    if (name.equals(FlexForms.NAME)) return FlexForms.ALL;
    var all = Stream.concat(OWN.stream(), FlexForms.ALL.stream()).toList();
    return List.of(all.stream().filter(form -> form.name.equals(name)).findFirst().orElseThrow(() ->
        new IllegalArgumentException("no form of attention is called " + name + ": " + FlexForms.NAME + ", "
            + String.join(", ", all.stream().map(AttentionForm::name).toList()))));
  }

  /** Whether the form says itself which keys are seen, if only that it is all of them. */
  boolean masks() {
    return !band.isAll() || FlexForms.ALL.contains(this)
        || modification.apply(Sizes.of(1, 1, 1, 1, 1)).mask().isPresent();
  }

  /** The problem with its scores changed. */
  AttentionProblem of(AttentionProblem problem) {
    var changed = problem.with(modification.apply(problem.sizes()));
    if (!band.isAll()) changed = changed.with(band);
    return skipping ? changed.skipping() : changed;
  }

  /** Pairs of a query and a key that are seen, of a head of so many of each. */
  double seen(long queries, long length, Band other) {
    return masks() || !other.equals(Band.CAUSAL) ? pairs.of(queries, length) : pairs.of(queries, length) / 2;
  }
}
