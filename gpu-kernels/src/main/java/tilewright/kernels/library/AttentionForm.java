package tilewright.kernels.library;

import java.util.List;
import java.util.Optional;
import tilewright.kernel.collective.attention.Band;
import tilewright.kernel.collective.attention.MaskMod;
import tilewright.kernel.collective.attention.Modification;
import tilewright.kernel.collective.attention.ScoreMod;
import tilewright.kernels.attention.AttentionProblem;

/**
 * A change of the scores beside a band: functions as users write them.
 *
 * @param skipping whether blocks that the mask hides are left out
 */
public record AttentionForm(String name, Optional<ScoreMod> score, Optional<MaskMod> mask, boolean skipping) {
  /** Scores as they are. */
  public static final AttentionForm PLAIN = new AttentionForm("plain", Optional.empty(), Optional.empty(), false);

  /** Sequences of different lengths, one after the other. */
  public static final AttentionForm VARLEN = new AttentionForm("varlen", Optional.empty(), Optional.empty(), false);

  private static final float CAP = 30;
  private static final int PREFIX = 1024;
  private static final int DOCUMENT = 1024;
  private static final MaskMod CAUSAL = (_, _, q, k) -> k.lessThan(q.plus(1));
  private static final MaskMod IN_DOCUMENT =
      CAUSAL.and((_, _, q, k) -> q.dividedBy(DOCUMENT).equalTo(k.dividedBy(DOCUMENT)));
  private static final List<AttentionForm> ALL = List.of(PLAIN, VARLEN,
      new AttentionForm("softcap", Optional.of(ScoreMod.softcap(CAP)), Optional.empty(), false),
      // Slopes 2^(-8 (h + 1) / 16), for sixteen heads.
      new AttentionForm("alibi", Optional.of((score, _, h, q, k) ->
          k.minus(q).toF32().fma(h.plus(1).toF32().times(-0.5f).exp2(), score)), Optional.empty(), false),
      // Of which every block has a part.
      new AttentionForm("mask", Optional.empty(), Optional.of((_, _, q, k) -> q.plus(k).modulo(4).atLeast(1)), false),
      new AttentionForm("causal-mask", Optional.empty(), Optional.of(CAUSAL), true),
      new AttentionForm("prefix", Optional.empty(), Optional.of(CAUSAL.or((_, _, _, k) -> k.lessThan(PREFIX))), true),
      new AttentionForm("documents", Optional.empty(), Optional.of(IN_DOCUMENT), true));

  /** @throws IllegalArgumentException when there is no such form */
  public static AttentionForm named(String name) {
    return ALL.stream().filter(form -> form.name.equals(name)).findFirst().orElseThrow(() ->
        new IllegalArgumentException("no form of attention is called " + name + ": "
            + String.join(", ", ALL.stream().map(AttentionForm::name).toList())));
  }

  /** The problem with its scores changed. */
  public AttentionProblem of(AttentionProblem problem) {
    var changed = problem.with(new Modification(score, mask));
    return skipping ? changed.skipping() : changed;
  }

  /** Pairs of a query and a key that are seen, of a head of so many of each. */
  public double seen(long queries, long length, Band band) {
    double half = queries * length / 2.0;
    return switch (name) {
      case "mask" -> 1.5 * half;
      case "causal-mask" -> half;
      case "prefix" -> length <= PREFIX ? length * length
          : half + PREFIX * (double) PREFIX / 2;
      case "documents" -> length * Math.min(length, DOCUMENT) / 2.0;
      default -> band.equals(Band.CAUSAL) ? half : 2 * half;
    };
  }
}
