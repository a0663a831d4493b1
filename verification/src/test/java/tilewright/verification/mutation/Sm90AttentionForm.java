package tilewright.verification.mutation;

import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.UnaryOperator;
import tilewright.kernel.collective.attention.Band;
import tilewright.kernel.collective.attention.HeadPacking;
import tilewright.kernel.collective.attention.MaskMod;
import tilewright.kernel.collective.attention.Modification;
import tilewright.kernels.attention.AttentionProblem.Packed;
import tilewright.kernels.attention.AttentionProblem.Quantized;
import tilewright.kernels.attention.AttentionProblem.Sizes;
import tilewright.kernels.attention.AttentionProblem;
import tilewright.kernels.attention.BlockMask;
import tilewright.kernels.attention.merging.BlockSplits;
import tilewright.numerics.ElementType;
import tilewright.ptx.Dim3;
import tilewright.sm90.attention.Sm90AttentionConfig.Shape;
import tilewright.sm90.attention.Sm90AttentionKernel;
import tilewright.verification.cases.AttentionCases;
import tilewright.verification.cases.Buffers;
import tilewright.verification.cases.ColumnMajorValues;
import tilewright.verification.cases.QuantizedAttention;

/**
 * Forms of the Hopper kernel whose synchronisation differs, each on a few problems with more tiles than CTAs: of more
 * blocks than stages, of as many, and of one, where only what is between tiles orders anything.
 */
enum Sm90AttentionForm {
  TWO_IN_TURNS(shape(2, 2, true), HeadPacking.NONE, 1, same()),
  THREE_IN_TURNS(shape(3, 2, true), HeadPacking.NONE, 1, same()),
  WITHOUT_TURNS(shape(2, 2, false), HeadPacking.NONE, 1, same()),
  ALONE(shape(1, 2, false), HeadPacking.NONE, 1, same()),
  /** O takes the place of Q. */
  IN_PLACE(shape(2, 1, true), HeadPacking.NONE, 1, same()),
  CAUSAL(shape(2, 2, true), HeadPacking.NONE, 1, problem -> problem.with(Band.CAUSAL)),
  WINDOW(shape(2, 2, true), HeadPacking.NONE, 1, problem -> problem.with(Band.window(200, 10))),
  FUNCTIONS(shape(2, 2, true), HeadPacking.NONE, 1, problem -> problem.with(functions())),
  LISTS(shape(2, 2, true), HeadPacking.NONE, 1, problem -> problem.with(functions()).skipping()),
  SHARED_TILES(shape(2, 2, true), new HeadPacking(4), 1, same()),
  TWO_CTAS(shape(2, 2, true), HeadPacking.NONE, 2, same()),
  SEQUENCES(shape(2, 2, true), HeadPacking.NONE, 1, same()),
  /** Operands of 8 bits, whose V passes from ring to ring through the warps that transpose it. */
  BYTES(new Shape(64, 64, 2, 32, 3, 2, 64, true), HeadPacking.NONE, 1, Sm90AttentionForm::ofBytes),
  /** Operands of 8 bits whose V is column-major: K comes in two copies, and no warps transpose V. */
  BYTES_BY_COLUMNS(new Shape(64, 64, 2, 32, 3, 2, 64, true), HeadPacking.NONE, 1, Sm90AttentionForm::byColumns),
  /** P refers to the blocks before, and is rounded beside that which is multiplied. */
  BYTES_ANTICIPATED(new Shape(64, 64, 2, 32, 3, 2, 64, true, true), HeadPacking.NONE, 1, Sm90AttentionForm::ofBytes),
  /** P takes the place of that which is multiplied. */
  BYTES_ANTICIPATED_BY_THREE(new Shape(64, 64, 3, 32, 3, 2, 64, true, true), HeadPacking.NONE, 1,
      Sm90AttentionForm::ofBytes),
  /** P·V of each block is added to O by threads. */
  BYTES_PROMOTED(new Shape(64, 64, 2, 32, 3, 2, 64, true), HeadPacking.NONE, 1, problem -> ofBytes(problem).promoted()),
  /** Lists, and functions that read data of the launch. */
  CAPTURED(shape(2, 2, true), HeadPacking.NONE, 1, CapturedForms::of),
  /** Splits of the keys of a cache of which some are in use, with empty splits between them. */
  SPLITS(shape(1, 2, false), new HeadPacking(4), 1, Sm90AttentionForm::used),
  /** Lists and data of sequences. */
  CAPTURED_SEQUENCES(shape(2, 2, true), HeadPacking.NONE, 1, CapturedForms::of);

  private static final int DIM = 64;
  private static final int STAGES = 3;
  private static final int KEYS = 16;
  private static final int SEEDS = 3;
  private static final int SPLIT_SEEDS = 8;
  private static final int SPLIT_BLOCKS = 5;

  private final Shape shape;
  private final HeadPacking packing;
  private final int blocks;
  private final UnaryOperator<AttentionProblem> change;

  Sm90AttentionForm(Shape shape, HeadPacking packing, int blocks, UnaryOperator<AttentionProblem> change) {
    this.shape = shape;
    this.packing = packing;
    this.blocks = blocks;
    this.change = change;
  }

  /** Whether columns of ones are stored, by a fence that publishes what initialises barriers, too. */
  boolean publishesOnes() {
    return shape.anticipates();
  }

  /** The same kernel on each problem. */
  List<MutationTrial> trials() {
    if (this == SEQUENCES) {
      return List.of(sequences(new int[] {140, 0, 70, 1, 133}, new int[] {80, 5, 33, 0, 60}),
          sequences(new int[] {100, 100, 5, 128, 20}, new int[] {10, 0, 5, 10, 16}));
    }
    if (this == CAPTURED_SEQUENCES) {
      // Both of an even number of keys, where the kernel reads pairs of numbers.
      return List.of(sequences(new int[] {140, 0, 70, 1, 133}, new int[] {80, 5, 133, 0, 120}),
          sequences(new int[] {100, 100, 5, 128, 20}, new int[] {10, 0, 5, 10, 17}));
    }
    return switch (this) {
      // More or fewer tiles for an even and an odd round of the ring of tiles.
      case SPLITS -> List.of(splits(1, 200, 150, 5), splits(2, 90, 90, 0, 40), splits(40, 60, 33), splits(1, 120, 112),
          splits(100, 16, 10), splits(70, 16, 10), splits(90, 16, 10), splits(60, 16, 10));
      case CAUSAL -> List.of(trial(3, 200), trial(7, 10), trial(5, 40));
      case WINDOW -> List.of(trial(3, 420), trial(7, 10), trial(5, 40));
      case BYTES, BYTES_ANTICIPATED, BYTES_ANTICIPATED_BY_THREE, BYTES_BY_COLUMNS, BYTES_PROMOTED ->
          List.of(trial(3, 160), trial(7, 10), trial(5, 80));
      case LISTS, CAPTURED -> List.of(trial(3, 264), trial(7, 10), trial(5, 40));
      // The last word of an even and of an odd round of the ring of tiles, however tiles are shared out.
      case TWO_CTAS -> List.of(trial(3, 80), trial(7, 10), trial(5, 40), trial(6, 10), trial(4, 10));
      // Until so many arrivals are one too many that a phase is.
      case IN_PLACE -> List.of(trial(3, 80), trial(7, 10), trial(5, 40), trial(20, 10));
      default -> List.of(trial(3, 80), trial(7, 10), trial(5, 40));
    };
  }

  private MutationTrial trial(int tiles, int keys) {
    int queries = tiles * blocks * DIM * shape.consumers() / packing.stride() - 2;
    return trial(dense(queries, keys), new int[0], new int[0]);
  }

  /** In splits longer than the ring of stages: in shorter ones the tile before frees what the loop waits for. */
  private MutationTrial splits(int queries, int room, int... lengths) {
    var problem = used(AttentionProblem.dense(ElementType.BF16, new Sizes(lengths.length, queries, room,
        packing.heads(), 1, DIM, DIM)));
    var blocks = new BlockSplits(Math.ceilDiv(room, SPLIT_BLOCKS * KEYS), SPLIT_BLOCKS);
    var sequence = Sm90AttentionKernel.launches(problem, shape, packing, blocks);
    var setup = new AttentionCases.Setup(name(), problem, (_, _, _) -> null, new int[0], lengths);
    return MutationTrial.onCopies(sequence.launches().getFirst(), Buffers.withWorkspace(sequence, buffers(setup)))
        .on(Dim3.of(this.blocks)).withSeeds(SPLIT_SEEDS).comparing("partialO", "partialLSE");
  }

  private static AttentionProblem used(AttentionProblem problem) {
    return problem.with(problem.serving().withLengths("used"));
  }

  private MutationTrial sequences(int[] queries, int[] keys) {
    return trial(dense(Arrays.stream(queries).sum(), Arrays.stream(keys).sum()).with(new Packed("cuQ", "cuK",
        queries.length, Arrays.stream(queries).max().getAsInt())), queries, keys);
  }

  private AttentionProblem dense(int queries, int keys) {
    return AttentionProblem.dense(ElementType.BF16, new Sizes(1, queries, keys, packing.heads(), 1, DIM, DIM));
  }

  private MutationTrial trial(AttentionProblem dense, int[] queries, int[] keys) {
    var problem = change.apply(dense);
    var setup = problem.modification().captures().tensors().isEmpty()
        ? new AttentionCases.Setup(name(), problem, (_, _, _) -> null, queries, keys)
        : CapturedForms.setup(problem, queries, keys);
    return MutationTrial.onCopies(Sm90AttentionKernel.prepare(problem, shape, packing), buffers(setup))
        .on(Dim3.of(blocks)).withSeeds(SEEDS).comparing("O");
  }

  /** With lists of blocks for these tiles. */
  private Map<String, MemorySegment> buffers(AttentionCases.Setup setup) {
    var buffers = AttentionCases.buffers(new Sm90AttentionKernel(), setup, 1);
    if (setup.problem().blockMask()) {
      CapturedForms.makeLists(new BlockMask(setup.problem(), DIM * shape.consumers(), KEYS), buffers);
    }
    return buffers;
  }

  /** With {@code ahead} tiles of Q, which O takes the place of where there is one. */
  private static Shape shape(int groups, int ahead, boolean turns) {
    return new Shape(DIM, DIM, groups, KEYS, STAGES, ahead, ahead > 1 ? DIM : 0, turns);
  }

  private static UnaryOperator<AttentionProblem> same() {
    return problem -> problem;
  }

  private static AttentionProblem ofBytes(AttentionProblem problem) {
    return QuantizedAttention.quantized(new AttentionCases.Setup("", problem, (_, _, _) -> null),
        Quantized.perHead(ElementType.BF16, problem.sizes())).problem();
  }

  private static AttentionProblem byColumns(AttentionProblem problem) {
    return ColumnMajorValues.of(new AttentionCases.Setup("", ofBytes(problem), (_, _, _) -> null)).problem();
  }

  private static Modification functions() {
    MaskMod document = (_, _, q, k) -> q.dividedBy(50).equalTo(k.dividedBy(50));
    MaskMod causal = (_, _, q, k) -> k.lessThan(q.plus(1));
    return new Modification(Optional.of((score, _, _, q, k) -> k.minus(q).toF32().times(0.25f).plus(score)),
        Optional.of(causal.and(document.or((_, _, _, k) -> k.lessThan(KEYS)))));
  }
}
