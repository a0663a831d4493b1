package tilewright.verification.mutation;

import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicContainer;
import org.junit.jupiter.api.TestFactory;
import tilewright.kernel.collective.attention.Band;
import tilewright.kernel.collective.attention.MaskMod;
import tilewright.kernel.collective.attention.Modification;
import tilewright.kernel.collective.attention.ScoreMod;
import tilewright.kernels.attention.AttentionProblem.Packed;
import tilewright.kernels.attention.AttentionProblem.Quantized;
import tilewright.kernels.attention.AttentionProblem.Sizes;
import tilewright.kernels.attention.AttentionProblem;
import tilewright.layout.Layout;
import tilewright.numerics.ElementType;
import tilewright.ptx.Dim3;
import tilewright.reference.ScoreRule;
import tilewright.reference.TensorView;
import tilewright.sm100.attention.Sm100AttentionConfig.Shape;
import tilewright.sm100.attention.Sm100AttentionKernel;
import tilewright.verification.LongSuite;
import tilewright.verification.cases.AttentionCases;
import tilewright.verification.cases.Mxf8Attention;
import tilewright.verification.cases.QuantizedAttention;

/**
 * Blackwell attention with one piece of its synchronisation wrong: one CTA has three tiles or more, so that every ring
 * wraps, of odd and even numbers of blocks, so that phases differ from tile to tile; and scores that grow by more than
 * 2⁸ from block to block, so that O is corrected.
 */
class Sm100AttentionMutationTest {
  private static final int DIM = 32;
  private static final Shape SHAPE = new Shape(DIM, DIM, 64, 5, 4);
  /** Rows that a CTA computes at once. */
  private static final int TILE = 256;

  /** Schedules of which in the first two one CTA takes over all tiles, and in the next two compete. */
  private static final List<Long> ALONE_FIRST = List.of(5L, 6L, 0L, 1L, 7L, 8L);

  /** Where tiles and their blocks of keys come from. */
  enum Form {
    /** Every so many-th tile, all blocks. */
    FULL(band(520, 140, Band.ALL), false),
    /** Tiles of cancelled launches, of three and one blocks, so many that the ring of answers wraps too. */
    CANCELLING(band(1032, 140, Band.CAUSAL), true),
    /** Sequences that lie one after the other, of which one is empty and one has two tiles. */
    PACKED(packed(new int[] {30, 0, 260, 5}, new int[] {70, 20, 140, 70}), false),
    /** Lists of blocks that are seen in part and whole, and a function of scores. */
    LISTS(lists(), false),
    /** Lists of packed sequences, and functions that read data of the launch. */
    CAPTURED(captured(), false),
    /** Operands of 8 bits, with factors of blocks. */
    E4M3(inBytes(band(520, 140, Band.ALL), Quantized.perBlock(ElementType.BF16, sizes(520, 140), 128, 64)), false),
    /** Operands of 8 bits with scales, of blocks that share a tile of them. */
    MXF8(Mxf8Attention.scaled(band(520, 140, Band.ALL)), false),
    /** Operands with scales in packed sequences, of which one is empty and one has two tiles. */
    MXF8_PACKED(Mxf8Attention.scaled(packed(new int[] {30, 0, 260, 5}, new int[] {70, 20, 140, 70})), false);

    private final MutationTrial trial;

    Form(AttentionCases.Setup setup, boolean cancelling) {
      var launch = Sm100AttentionKernel.prepare(setup.problem(), SHAPE, cancelling);
      var plain = MutationTrial.onCopies(launch, growing(setup)).comparing("O")
          .exceptFor(HarmlessMutants.whereWarpsAreTogether(launch)).exceptFor(HarmlessMutants.ofAnswers(launch));
      var scheduled = cancelling ? plain.withSeeds(ALONE_FIRST) : plain.on(Dim3.ONE).withSeeds(6);
      boolean unmasked = setup.problem().band().isAll() && setup.problem().modification().equals(Modification.NONE);
      trial = unmasked ? scheduled.exceptFor(HarmlessMutants.ofTheFirstScores(launch)) : scheduled;
    }

    /** Whether only the full suite tries it: its barriers are those of {@link #MXF8}, or of {@link #LISTS}. */
    boolean isLikeOthers() {
      return this == E4M3 || this == MXF8_PACKED || this == CAPTURED;
    }
  }

  @TestFactory
  Stream<DynamicContainer> everyMistakeIsNoticed() {
    return Stream.of(Form.values()).filter(form -> LongSuite.EVERY_CASE || !form.isLikeOthers())
        .map(form -> DynamicContainer.dynamicContainer(form.name(),
            form.trial.tests(Flaw.MISSING_SIGNAL, Flaw.MISSING_TENSOR_SIGNAL, Flaw.MISSING_BARRIER, Flaw.EARLIER_WAIT,
                Flaw.FROZEN_PHASE, Flaw.OTHER_ARRIVALS, Flaw.OTHER_BYTES)));
  }

  private static Sizes sizes(int queries, int keys) {
    return Sizes.of(1, queries, keys, 1, DIM);
  }

  private static AttentionCases.Setup band(int queries, int keys, Band band) {
    return AttentionCases.band(ElementType.BF16, sizes(queries, keys), band);
  }

  private static AttentionCases.Setup inBytes(AttentionCases.Setup setup, Quantized quantized) {
    return QuantizedAttention.quantized(setup, quantized);
  }

  private static AttentionCases.Setup packed(int[] queries, int[] keys) {
    var sizes = Sizes.of(1, Arrays.stream(queries).sum(), Arrays.stream(keys).sum(), 1, DIM);
    var problem = AttentionProblem.dense(ElementType.BF16, sizes)
        .with(new Packed("cuQ", "cuK", queries.length, Arrays.stream(queries).max().getAsInt()));
    return new AttentionCases.Setup("packed", problem, (_, _, _) -> ScoreRule.NONE, queries, keys);
  }

  /** Three blocks in part and one whole, then three whole, then one in part and one whole. */
  private static AttentionCases.Setup lists() {
    MaskMod causal = (_, _, q, k) -> k.lessThan(q.plus(1));
    var mask = before(64).or(tile(0).and(causal)).or(tile(1).and(before(192))).or(tile(2).and(before(70)));
    ScoreMod bias = (score, _, h, q, k) -> k.minus(q).toF32().fma(h.plus(1).toF32().times(-1f / 64), score);
    var problem = AttentionProblem.dense(ElementType.BF16, Sizes.of(1, 520, 200, 1, DIM))
        .with(new Modification(Optional.of(bias), Optional.of(mask)));
    return new AttentionCases.Setup("lists", problem.skipping(), (_, _, _) -> ScoreRule.NONE);
  }

  private static AttentionCases.Setup captured() {
    int[] queries = {520, 0, 30};
    int[] keys = {200, 20, 70};
    return CapturedForms.setup(CapturedForms.of(packed(queries, keys).problem()), queries, keys);
  }

  private static MaskMod before(int key) {
    return (_, _, _, k) -> k.lessThan(key);
  }

  private static MaskMod tile(int number) {
    return (_, _, q, _) -> q.dividedBy(TILE).equalTo(number);
  }

  private static Map<String, MemorySegment> growing(AttentionCases.Setup setup) {
    var buffers = AttentionCases.buffers(new Sm100AttentionKernel(), setup, 1);
    int queries = setup.problem().sizes().queries();
    int keys = setup.problem().sizes().keys();
    var q = rows(setup.problem().type(), buffers.get("Q"), queries);
    var k = rows(setup.problem().type(), buffers.get("K"), keys);
    for (int row = 0; row < queries; row++) q.set(row, 8 * (1 + row % 3));
    for (int row = 0; row < keys; row++) k.set(row, (keys - row) / 10.0);
    return buffers;
  }

  /** The first elements of rows. */
  private static TensorView rows(ElementType type, MemorySegment buffer, int count) {
    return new TensorView(type, buffer, Layout.of(count, DIM));
  }
}
