package tilewright.sm90.attention;

import java.util.Comparator;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import tilewright.kernel.collective.attention.HeadPacking;
import tilewright.kernel.collective.attention.Modification;
import tilewright.kernel.collective.attention.Statistics;
import tilewright.kernels.attention.AttentionProblem.Factors;
import tilewright.kernels.attention.AttentionProblem;
import tilewright.kernels.attention.ValueOrder;
import tilewright.kernels.attention.serving.Serving;
import tilewright.kernels.choice.Formula;
import tilewright.sm90.atom.WgmmaAtom;
import tilewright.sm90.attention.Sm90AttentionConfig.Shape;

/** Tiles of the Hopper kernel, each list in the order of head dimensions: most forms spill no registers. */
final class Sm90AttentionShapes {
  private static final int LONGEST = Integer.MAX_VALUE;
  /** The keys of the smallest block of 8-bit operands: P·V of one instruction. */
  private static final int LEAST_BYTE_KEYS = 32;
  /** The most columns of O that have registers for the P·V of a block beside them. */
  static final int MOST_PROMOTED_DIM = 128;
  /** The shapes measured fastest on an H200, for 16384 tokens of width 2048. */
  private static final List<Choice> PLAIN = List.of(
      new Choice(new Shape(64, 64, 2, 128, 4, 2, 64, false), true, 0, 1024),
      new Choice(new Shape(64, 64, 3, 128, 4, 2, 64, true), true, 0, LONGEST),
      new Choice(new Shape(96, 96, 2, 128, 2, 2, 96, true), true, 0, LONGEST),
      new Choice(new Shape(128, 128, 2, 176, 2, 1, 0, true), true, 8192, LONGEST),
      new Choice(new Shape(128, 128, 2, 128, 2, 2, 128, true), true, 0, LONGEST),
      new Choice(new Shape(192, 128, 2, 112, 2, 1, 128, true), true, 0, LONGEST),
      new Choice(new Shape(192, 192, 2, 96, 2, 1, 96, true), true, 0, LONGEST),
      new Choice(new Shape(256, 256, 2, 80, 2, 1, 0, false), true, 1024, LONGEST),
      new Choice(new Shape(256, 256, 2, 64, 2, 1, 128, true), true, 0, LONGEST));
  /** Shapes for no more rows than one warpgroup has: the keys under way limit the speed. */
  private static final List<Shape> FEW = List.of(new Shape(64, 64, 1, 128, 4, 2, 64, false),
      new Shape(96, 96, 1, 128, 3, 1, 96, false), new Shape(128, 128, 1, 128, 3, 1, 128, false),
      new Shape(192, 128, 1, 112, 2, 1, 128, false), new Shape(192, 192, 1, 96, 2, 1, 96, false),
      new Shape(256, 256, 1, 48, 3, 1, 128, false));
  /** The same for splits of the keys, whose results take no shared memory: the next tile's queries have it. */
  private static final List<Shape> FEW_SPLIT = List.of(new Shape(64, 64, 1, 128, 5, 2, 64, false),
      new Shape(96, 96, 1, 128, 4, 1, 96, false), new Shape(128, 128, 1, 128, 3, 2, 128, false),
      new Shape(192, 128, 1, 96, 3, 1, 128, false), new Shape(192, 192, 1, 96, 2, 2, 96, false),
      new Shape(256, 256, 1, 48, 4, 1, 128, false));
  /** Shapes for a function of each score, or packed sequences. */
  private static final List<Shape> SCORED = List.of(new Shape(64, 64, 2, 128, 4, 2, 64, true),
      new Shape(96, 96, 2, 128, 2, 2, 96, true), new Shape(128, 128, 2, 128, 2, 2, 128, true),
      new Shape(192, 128, 2, 112, 2, 1, 128, true), new Shape(192, 192, 2, 96, 2, 1, 96, true),
      new Shape(256, 256, 2, 64, 2, 1, 128, true));
  /** The shape for a function of each score at head dimension 64. */
  private static final Shape SCORED_NARROW = new Shape(64, 64, 3, 112, 4, 2, 64, true);
  /** Shapes for keys in pages, whose numbers take registers that the largest tiles need. */
  private static final List<Shape> PAGED = List.of(new Shape(64, 64, 2, 128, 4, 2, 64, true),
      new Shape(96, 96, 2, 128, 2, 2, 96, true), new Shape(128, 128, 2, 128, 2, 2, 128, true),
      new Shape(192, 128, 2, 112, 2, 1, 128, true), new Shape(192, 192, 2, 96, 2, 1, 96, true),
      new Shape(256, 256, 2, 48, 2, 1, 128, true));
  /** Shapes for a mask, or several heads in a tile of several warpgroups. */
  private static final List<Shape> MASKED = List.of(new Shape(64, 64, 2, 128, 4, 2, 64, true),
      new Shape(96, 96, 2, 112, 2, 2, 96, true), new Shape(128, 128, 2, 112, 2, 2, 128, true),
      new Shape(192, 128, 2, 112, 2, 1, 128, true), new Shape(192, 192, 2, 96, 2, 1, 96, true),
      new Shape(256, 256, 2, 48, 2, 1, 128, true));
  /** Shapes for a mask and lists of blocks, which consumers do not read; a user may list blocks of 128 keys. */
  private static final List<Shape> SKIPPING = List.of(new Shape(64, 64, 2, 128, 4, 2, 64, false),
      new Shape(96, 96, 2, 128, 2, 2, 96, true), new Shape(128, 128, 2, 112, 2, 2, 128, true),
      new Shape(128, 128, 2, 128, 2, 2, 128, true), new Shape(192, 128, 2, 112, 2, 1, 128, true),
      new Shape(192, 192, 2, 64, 2, 1, 96, true), new Shape(256, 256, 2, 32, 2, 1, 128, true));
  /** Shapes for a mask and a function, or a function that reads a number for each score. */
  private static final List<Shape> LISTED = List.of(new Shape(64, 64, 2, 96, 4, 2, 64, true),
      new Shape(96, 96, 2, 96, 2, 2, 96, true), new Shape(128, 128, 2, 96, 2, 2, 128, true),
      new Shape(192, 128, 2, 96, 2, 1, 128, true), new Shape(192, 192, 2, 64, 2, 1, 96, true),
      new Shape(256, 256, 2, 32, 2, 1, 128, true));
  /** Shapes whose tiles make up lists of blocks of a power of two. */
  private static final List<Shape> EVEN = List.of(new Shape(64, 64, 2, 64, 4, 2, 64, true),
      new Shape(96, 96, 2, 64, 2, 2, 96, true), new Shape(128, 128, 2, 64, 2, 2, 128, true),
      new Shape(192, 128, 2, 64, 2, 1, 128, true), new Shape(192, 192, 2, 64, 2, 1, 96, true));

  /**
   * Shapes for operands of 8 bits, of which V is there twice: as it was copied, and transposed. Factors of blocks and
   * left bounds would need more registers than these leave.
   */
  private static final List<Choice> QUANTIZED = List.of(
      new Choice(new Shape(64, 64, 3, 128, 4, 2, 64, false), true, 0, LONGEST),
      new Choice(new Shape(96, 96, 3, 96, 3, 2, 96, false), true, 0, LONGEST),
      new Choice(new Shape(128, 128, 3, 96, 4, 1, 64, false), true, 4096, LONGEST),
      new Choice(new Shape(128, 128, 3, 96, 4, 2, 64, false), false, 0, LONGEST),
      new Choice(new Shape(128, 128, 2, 192, 2, 1, 128, false), true, 0, LONGEST),
      new Choice(new Shape(192, 128, 2, 128, 2, 1, 128, false), true, 0, LONGEST),
      new Choice(new Shape(192, 192, 2, 128, 2, 1, 96, false), true, 0, LONGEST),
      new Choice(new Shape(256, 256, 2, 96, 2, 1, 64, false), true, 0, LONGEST));
  /** Shapes for these operands whose blocks refer to the largest scores of those before. */
  private static final List<Anticipating> ANTICIPATING = List.of(
      new Anticipating(new Shape(64, 64, 3, 128, 4, 1, 64, true, true), 2048, 16384),
      new Anticipating(new Shape(96, 96, 3, 96, 3, 2, 96, false, true), 2048, 2048),
      new Anticipating(new Shape(128, 128, 3, 96, 4, 1, 64, true, true), 8193, LONGEST),
      new Anticipating(new Shape(128, 128, 3, 96, 4, 2, 64, false, true), LONGEST, 4097),
      new Anticipating(new Shape(128, 128, 2, 128, 3, 2, 128, false, true), 0, LONGEST));
  /** Shapes for operands of 8 bits and all else that needs registers. */
  private static final List<Shape> QUANTIZED_BLOCKS = List.of(new Shape(64, 64, 2, 128, 4, 2, 64, true),
      new Shape(96, 96, 2, 128, 3, 2, 96, true), new Shape(128, 128, 2, 128, 3, 2, 128, true),
      new Shape(192, 128, 2, 128, 2, 1, 128, true), new Shape(192, 192, 2, 64, 3, 1, 96, true),
      new Shape(256, 256, 2, 64, 2, 1, 64, false));
  /** Shapes for operands of 8 bits and a mask, lists of blocks, or a left bound and factors of blocks. */
  private static final List<Shape> QUANTIZED_MASKED = List.of(new Shape(64, 64, 2, 64, 4, 2, 64, true),
      new Shape(96, 96, 2, 64, 3, 2, 96, true), new Shape(128, 128, 2, 64, 4, 2, 128, true),
      new Shape(192, 128, 2, 64, 3, 1, 128, true), new Shape(192, 192, 2, 64, 3, 1, 96, true),
      new Shape(256, 256, 2, 32, 3, 1, 128, true));
  /** Shapes for operands of 8 bits and no more rows than one warpgroup has. */
  private static final List<Shape> QUANTIZED_FEW = List.of(new Shape(64, 64, 1, 128, 4, 2, 64, false),
      new Shape(96, 96, 1, 128, 3, 1, 96, false), new Shape(128, 128, 1, 128, 3, 1, 128, false),
      new Shape(192, 128, 1, 128, 2, 1, 128, false), new Shape(192, 192, 1, 64, 3, 1, 96, false),
      new Shape(256, 256, 1, 32, 3, 1, 128, false));
  /** Shapes for splits of these operands' keys, whose results take no shared memory. */
  private static final List<Shape> QUANTIZED_FEW_SPLIT = List.of(new Shape(64, 64, 1, 128, 5, 2, 64, false),
      new Shape(96, 96, 1, 128, 4, 1, 96, false), new Shape(128, 128, 1, 128, 4, 1, 128, false),
      new Shape(192, 128, 1, 128, 3, 1, 128, false), new Shape(192, 192, 1, 32, 6, 1, 96, false),
      new Shape(256, 256, 1, 32, 6, 1, 128, false));
  /** Shapes for operands of 8 bits whose P·V of a block is added to O in FP32: few keys leave a small error. */
  private static final List<Shape> PROMOTED = List.of(new Shape(64, 64, 2, 64, 4, 2, 64, true),
      new Shape(96, 96, 2, 64, 3, 2, 96, true), new Shape(128, 128, 2, 64, 4, 2, MOST_PROMOTED_DIM, true),
      new Shape(192, 128, 2, 64, 3, 1, MOST_PROMOTED_DIM, true));
  /** Shapes for these and a function, a mask, lists of blocks, or factors of blocks and a band or shared tiles. */
  private static final List<Shape> PROMOTED_CHANGED = List.of(new Shape(64, 64, 2, 64, 4, 2, 64, true),
      new Shape(96, 96, 2, 64, 3, 2, 96, true), new Shape(128, 128, 2, 32, 4, 2, MOST_PROMOTED_DIM, true),
      new Shape(192, 128, 2, 32, 3, 1, MOST_PROMOTED_DIM, true));
  /** Shapes for operands of 8 bits that would spill where scores are masked and V is column-major. */
  private static final Set<Shape> ROWS_OF_VALUES = Set.of(new Shape(96, 96, 3, 96, 3, 2, 96, false),
      new Shape(256, 256, 2, 64, 2, 1, 64, false));

  /** A shape for operands of 8 bits that would spill where splits of keys have factors of blocks. */
  private static final Set<Shape> SPILLS_SPLIT = Set.of(new Shape(256, 256, 2, 64, 2, 1, 64, false));
  /** The shape that would spill where scores are masked and keys are split. */
  private static final Shape WITHOUT_SPLITS = new Shape(128, 128, 2, 176, 2, 1, 0, true);
  /** Shapes of three warpgroups that would spill there too: the first of {@link #SCORED} does not. */
  private static final Set<Shape> WIDEST_OF_64 = Set.of(new Shape(64, 64, 3, 128, 4, 2, 64, true), SCORED_NARROW);
  /** The shape for operands of 8 bits that would spill where scores are masked and rows have sinks. */
  private static final Shape WITHOUT_SINKS = new Shape(96, 96, 3, 96, 3, 2, 96, false);

  private Sm90AttentionShapes() {}

  /**
   * The shapes for a problem's head dimensions, the one that should be fastest first.
   *
   * @param packs whether heads that read the same keys may share tiles
   */
  static Stream<Shape> of(AttentionProblem problem, boolean packs) {
    var all = fitting(candidates(problem, packs).toList(), problem).toList();
    if (problem.modification().blocks().isEmpty()) return all.stream();
    // The first that is made for the head dimensions: a wider one computes columns that there are none of.
    var fitting = all.stream().filter(shape -> makesUpBlocks(problem, shape))
        .sorted(Comparator.comparingInt(Shape::headDim).thenComparingInt(Shape::valueDim)).toList();
    // Where none does, the launch says so.
    return (fitting.isEmpty() ? all : fitting).stream();
  }

  /** The shapes for splits of a problem's keys. */
  static Stream<Shape> ofSplits(AttentionProblem problem, boolean packs) {
    var shapes = of(problem, packs).filter(shape -> problem.band().isAll() || !shape.equals(WITHOUT_SPLITS)).toList();
    var first = shapes.stream().findFirst();
    if (first.filter(FEW::contains).isPresent()) return fitting(FEW_SPLIT, problem);
    if (!problem.band().isAll() && first.filter(WIDEST_OF_64::contains).isPresent()) {
      return Stream.concat(Stream.of(SCORED.getFirst()), shapes.stream());
    }
    boolean narrow = first.filter(shape -> QUANTIZED_FEW.contains(shape) || SPILLS_SPLIT.contains(shape)).isPresent();
    return narrow ? fitting(QUANTIZED_FEW_SPLIT, problem) : shapes.stream();
  }

  /** The keys of a block of splits where queries are few, by the head dimension. */
  static Formula keysOfFewSplit(Formula headDim) {
    var keys = Formula.of(FEW_SPLIT.getLast().keys());
    for (var shape : FEW_SPLIT.reversed()) {
      if (shape.headDim() != shape.valueDim()) continue;
      keys = headDim.atMost(Formula.of(shape.headDim()), Formula.of(shape.keys()), keys);
    }
    return keys;
  }

  private static Stream<Shape> fitting(List<Shape> shapes, AttentionProblem problem) {
    return shapes.stream().filter(shape -> problem.sizes().headDim() <= shape.headDim()
        && problem.sizes().valueDim() <= shape.valueDim() && haveFactors(problem, shape));
  }

  /** Whether blocks that the user lists are made of tiles. */
  private static boolean makesUpBlocks(AttentionProblem problem, Shape shape) {
    return problem.modification().blocks()
        .map(given -> given.queries() % shape.rows() == 0 && given.keys() % shape.keys() == 0).orElse(true);
  }

  /** Whether each block of keys has one factor of K and one of V. */
  private static boolean haveFactors(AttentionProblem problem, Shape shape) {
    return problem.quantized().stream().flatMap(q -> Stream.of(q.k(), q.v()))
        .allMatch(factors -> factors.rows() == Factors.WHOLE || factors.rows() % shape.keys() == 0);
  }

  /** Heads that read the same keys share tiles where queries are few. */
  static HeadPacking packing(AttentionProblem problem, Shape shape, boolean packs) {
    return sharing(problem, packs).whereWorth(queries(problem), shape.rows(), shape.rows());
  }

  /** All heads that read the same keys, unless boxes cannot hold a query's. */
  private static HeadPacking sharing(AttentionProblem problem, boolean packs) {
    int sharers = problem.sizes().sharers();
    var packing = new HeadPacking(sharers).inBoxes();
    boolean leavesRows = packing.stride() > sharers;
    // Lists of blocks are each head's own. Empty rows of packed sequences would be those of the next heads.
    return !packs || problem.blockMask() || packing.stride() > WgmmaAtom.M || problem.packed().isPresent() && leavesRows
        ? HeadPacking.NONE : packing;
  }

  private static int queries(AttentionProblem problem) {
    return problem.packed().map(AttentionProblem.Packed::longest).orElse(problem.sizes().queries());
  }

  private static Stream<Shape> candidates(AttentionProblem problem, boolean packs) {
    var modification = problem.modification();
    if (problem.quantized().isPresent()) return quantized(problem, packs);
    if (modification.mask().isPresent() || problem.blockMask()) {
      var shapes = modification.score().isPresent() ? LISTED : !problem.blockMask() ? MASKED
          : bounds(problem) ? LISTED : SKIPPING;
      boolean narrow = problem.blockMask() && modification.score().isPresent() && bounds(problem);
      return narrow || readsBeside(problem) ? Stream.concat(EVEN.stream(), shapes.stream())
          : Stream.concat(shapes.stream(), EVEN.stream());
    }
    if (sharing(problem, packs).stride() * queries(problem) <= WgmmaAtom.M) return FEW.stream();
    if (modification.captures().perScore()) {
      return readsBeside(problem) ? Stream.concat(EVEN.stream(), LISTED.stream()) : LISTED.stream();
    }
    if (packing(problem, MASKED.getFirst(), packs).heads() > 1) return MASKED.stream();
    if (problem.serving().pages().isPresent()) return PAGED.stream();
    if (problem.packed().isPresent()) return SCORED.stream();
    return modification.score().isPresent() ? Stream.concat(Stream.of(SCORED_NARROW), SCORED.stream())
        : PLAIN.stream().filter(choice -> choice.fits(problem)).map(Choice::shape);
  }

  /** Whether functions read numbers for each score beside something else that takes registers. */
  private static boolean readsBeside(AttentionProblem problem) {
    var modification = problem.modification();
    boolean both = modification.score().isPresent() && modification.mask().isPresent();
    return modification.captures().perScore() && (both || problem.blockMask() || bounds(problem));
  }

  /** Whether the bounds of a sequence and of a window take registers beside a mask. */
  private static boolean bounds(AttentionProblem problem) {
    return problem.packed().isPresent() || problem.band().left().isPresent();
  }

  private static Stream<Shape> quantized(AttentionProblem problem, boolean packs) {
    boolean whole = problem.quantized().stream().flatMap(q -> Stream.of(q.k(), q.v()))
        .allMatch(factors -> factors.rows() == Factors.WHOLE);
    boolean leftBound = problem.band().left().isPresent();
    if (problem.promotes()) {
      boolean apart = problem.band().isAll() && packing(problem, PROMOTED.getFirst(), packs).heads() == 1;
      boolean changed = !problem.modification().equals(Modification.NONE) || !whole && !apart;
      return (changed ? PROMOTED_CHANGED : PROMOTED).stream();
    }
    boolean few = sharing(problem, packs).stride() * queries(problem) <= WgmmaAtom.M;
    if (few && !problem.blockMask()) return QUANTIZED_FEW.stream();
    var modification = problem.modification();
    boolean reads = modification.captures().perScore();
    if (problem.blockMask() || modification.mask().isPresent() || reads || leftBound && !whole) {
      boolean both = reads && modification.score().isPresent() && modification.mask().isPresent();
      return both ? QUANTIZED_MASKED.stream().map(shape -> besideMask(shape, whole, problem.blockMask()))
          : QUANTIZED_MASKED.stream();
    }
    boolean plain = problem.modification().equals(Modification.NONE) && problem.packed().isEmpty()
        && packing(problem, QUANTIZED_BLOCKS.getFirst(), packs).heads() == 1 && whole && !leftBound;
    boolean sinks = problem.sinks().isPresent() && !problem.band().isAll();
    var waiting = QUANTIZED.stream().filter(choice -> choice.fits(problem)).map(Choice::shape)
        .filter(shape -> !sinks || !shape.equals(WITHOUT_SINKS));
    var fastest = Stream.concat(anticipating(problem), waiting).filter(_ -> plain);
    var shapes = Stream.concat(fastest, QUANTIZED_BLOCKS.stream());
    return ValueOrder.of(problem.v()) == ValueOrder.ROW_MAJOR || problem.band().isAll() ? shapes
        : Stream.concat(shapes.filter(shape -> isSmallest(problem, shape) && !ROWS_OF_VALUES.contains(shape)),
            QUANTIZED_MASKED.stream());
  }

  /** Shapes that know no row's largest score in the end, where nobody asks for it. */
  private static Stream<Shape> anticipating(AttentionProblem problem) {
    if (problem.statistics() == Statistics.MAXIMA_AND_SUMS || !problem.serving().equals(Serving.NONE)
        || ValueOrder.of(problem.v()) != ValueOrder.ROW_MAJOR) {
      return Stream.empty();
    }
    return ANTICIPATING.stream().filter(choice -> choice.fits(problem)).map(Anticipating::shape)
        .filter(shape -> isSmallest(problem, shape));
  }

  /** The shape where a function reads a number for each score beside a mask, with fewer keys if these would spill. */
  private static Shape besideMask(Shape s, boolean wholeHeads, boolean lists) {
    boolean wide = s.valueDim() > MOST_PROMOTED_DIM;
    if (s.keys() == LEAST_BYTE_KEYS) return s;
    boolean spills = wide || lists && s.headDim() == 96 || !wholeHeads && (lists || s.headDim() > 64);
    return spills ? new Shape(s.headDim(), s.valueDim(), s.consumers(), LEAST_BYTE_KEYS, s.stages(), s.ahead(),
        s.columns(), s.turns() && !wide) : s;
  }

  /** Whether no shape for operands of 8 bits has fewer columns of Q that hold the problem's. */
  private static boolean isSmallest(AttentionProblem problem, Shape shape) {
    int dim = problem.sizes().headDim();
    return QUANTIZED_BLOCKS.stream().mapToInt(Shape::headDim).filter(held -> dim <= held).min().orElse(0)
        == shape.headDim();
  }

  /**
   * A shape whose blocks do not wait for their largest scores. The first blocks of tiles do, and where later scores are
   * much larger there is more to do, so that it takes many keys.
   *
   * @param full keys from which on it is used without a mask; {@code masked} with one
   */
  private record Anticipating(Shape shape, int full, int masked) {
    boolean fits(AttentionProblem problem) {
      return problem.sizes().keys() >= (problem.band().isAll() ? full : masked);
    }
  }

  /**
   * A shape and where it is used.
   *
   * @param full whether for problems without a band too
   * @param from keys that a query sees at most; likewise {@code to}
   */
  private record Choice(Shape shape, boolean full, int from, int to) {
    boolean fits(AttentionProblem problem) {
      var band = problem.band();
      int keys = problem.sizes().keys();
      long seen = band.left().isPresent() && band.right().isPresent()
          ? Math.min(keys, (long) band.left().getAsInt() + band.right().getAsInt() + 1) : keys;
      return (full || !band.isAll()) && from <= seen && seen <= to;
    }
  }
}
