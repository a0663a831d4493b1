package tilewright.verification.cases;

import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import tilewright.kernel.collective.attention.Band;
import tilewright.kernel.collective.attention.MaskMod;
import tilewright.kernel.collective.attention.Modification;
import tilewright.kernel.collective.attention.ScoreMod;
import tilewright.kernels.attention.AttentionProblem;
import tilewright.kernels.attention.AttentionProblem.Sizes;
import tilewright.numerics.ElementType;
import tilewright.reference.ScoreRule;

/** Masks and score modifications that users write as lambdas, each with its reference in plain Java. */
public final class AttentionMods {
  private static final int PREFIX = 37;
  private static final int PREFIX_STEP = 12;
  private static final int DOCUMENT = 50;
  private static final int HEADS = 2;
  private static final int WINDOW = 45;
  private static final Sizes SIZES = Sizes.of(1, 140, 140, HEADS, 64);
  private static final Sizes SHARED = new Sizes(1, 7, 90, 6, 2, 64, 64);

  private AttentionMods() {}

  public static List<AttentionCases.Setup> setups() {
    MaskMod causal = (b, h, q, k) -> k.lessThan(q.plus(1));
    MaskMod prefix = causal.or((b, h, q, k) -> k.lessThan(PREFIX));
    MaskMod document = causal.and((b, h, q, k) -> q.dividedBy(DOCUMENT).equalTo(k.dividedBy(DOCUMENT)));
    ScoreMod alibi = (score, b, h, q, k) -> k.minus(q).toF32().fma(h.plus(1).toF32().times(-8f / HEADS).exp2(), score);
    return List.of(
        mask("prefix", prefix, false, (b, h, q, k) -> k <= q || k < PREFIX),
        mask("prefix skipping blocks", prefix, true, (b, h, q, k) -> k <= q || k < PREFIX),
        mask("documents skipping blocks", document, true, (b, h, q, k) -> k <= q && q / DOCUMENT == k / DOCUMENT),
        alibi("ALiBi", alibi, problem()), alibi("ALiBi", alibi, AttentionProblem.dense(ElementType.BF16, SHARED)),
        banded("prefix in a window, skipping blocks", prefix));
  }

  /** A function, a mask and lists of blocks together, in the tiles of a head dimension. */
  static AttentionCases.Setup all(int dim) {
    var masked = setups().get(2);
    var scored = setups().get(3);
    var problem = AttentionProblem.dense(ElementType.BF16, Sizes.of(1, 140, 140, 1, dim)).with(new Modification(
        scored.problem().modification().score(), masked.problem().modification().mask())).skipping();
    return new AttentionCases.Setup("ALiBi in documents", problem,
        (i, q, k) -> masked.rules().of(i, q, k).and(scored.rules().of(i, q, k)));
  }

  /** Blocks of nothing: no queries, no heads, no keys. */
  static List<AttentionCases.Setup> empty() {
    var problem = setups().get(1).problem();
    return Stream.of(Sizes.of(1, 0, 70, 2, 64), Sizes.of(2, 40, 70, 0, 64), Sizes.of(1, 40, 0, 2, 64))
        .map(sizes -> new AttentionCases.Setup("prefix skipping blocks", AttentionProblem.dense(ElementType.BF16, sizes)
            .with(problem.modification()).skipping(), setups().get(1).rules())).toList();
  }

  /** Lists of blocks that a band hides too, and of packed sequences, some of them without queries or keys. */
  public static List<AttentionCases.Setup> listed() {
    var causal = AttentionCases.band(ElementType.BF16, new Sizes(1, 150, 130, 2, 1, 64, 64), Band.CAUSAL);
    return List.of(new AttentionCases.Setup("causal skipping blocks", causal.problem().skipping(), causal.rules()),
        packed("packed prefixes skipping blocks", Band.ALL),
        packed("packed prefixes in a window, skipping blocks", Band.window(WINDOW, 3)));
  }

  /** The prefix of a sequence is as long as its number says. */
  private static AttentionCases.Setup packed(String name, Band band) {
    MaskMod prefixes = (b, h, q, k) -> k.lessThan(q.plus(1)).or(k.lessThan(b.times(PREFIX_STEP)));
    var lengths = AttentionCases.packed(2, 2);
    var all = lengths.problem().sizes();
    var sizes = new Sizes(1, all.queries(), all.keys(), 4, 2, all.headDim(), all.valueDim());
    var problem = AttentionProblem.dense(ElementType.BF16, sizes).with(lengths.problem().packed().orElseThrow())
        .with(band).with(new Modification(Optional.empty(), Optional.of(prefixes))).skipping();
    return new AttentionCases.Setup(name, problem,
        (i, q, k) -> ScoreRule.mask((b, h, query, key) -> key <= query || key < PREFIX_STEP * i)
            .and(AttentionCases.rule(band, q, k)), lengths.queries(), lengths.keys());
  }

  private static AttentionCases.Setup alibi(String name, ScoreMod alibi, AttentionProblem problem) {
    return new AttentionCases.Setup(name, problem.with(new Modification(Optional.of(alibi), Optional.empty())),
        (_, q, k) -> ScoreRule.bias((b, h, i, j) -> Math.pow(2, -8.0 * (h + 1) / HEADS) * (j - i)));
  }

  private static AttentionCases.Setup mask(String name, MaskMod mask, boolean skipping, ScoreRule.Visible visible) {
    var masked = problem().with(new Modification(Optional.empty(), Optional.of(mask)));
    return new AttentionCases.Setup(name, skipping ? masked.skipping() : masked, (_, q, k) -> ScoreRule.mask(visible));
  }

  /** Queries are at the end of the keys for the band, and at the positions of keys for the mask. */
  private static AttentionCases.Setup banded(String name, MaskMod prefix) {
    var problem = AttentionProblem.dense(ElementType.BF16, Sizes.of(1, 100, 140, HEADS, 64))
        .with(Band.window(WINDOW, 3)).with(new Modification(Optional.empty(), Optional.of(prefix))).skipping();
    return new AttentionCases.Setup(name, problem, (_, q, k) -> ScoreRule.mask((b, h, i, j) -> j <= i || j < PREFIX)
        .and(ScoreRule.window(q, k, WINDOW, 3)));
  }

  private static AttentionProblem problem() {
    return AttentionProblem.dense(ElementType.BF16, SIZES);
  }
}
