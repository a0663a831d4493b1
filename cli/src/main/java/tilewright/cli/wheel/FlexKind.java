package tilewright.cli.wheel;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.LongFunction;
import java.util.random.RandomGenerator;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import tilewright.cli.wheel.DecisionTree.Axis;
import tilewright.kernel.LaunchArguments;
import tilewright.kernel.PreparedLaunch.Scratch;
import tilewright.kernel.collective.attention.Captures;
import tilewright.kernel.collective.attention.GivenBlocks;
import tilewright.kernel.collective.attention.GivenBlocks.Lists;
import tilewright.kernel.collective.attention.Modification;
import tilewright.kernels.attention.AttentionProblem;
import tilewright.kernels.choice.Formula;
import tilewright.layout.Layout;
import tilewright.numerics.ElementType;

/**
 * FlexAttention's problems of a type and functions. Numbers are those of {@link AttentionKind}, and
 *
 * <ul>
 * <li>{@code i0}, … that functions read
 * <li>the extents {@code t0_0}, … and strides {@code t0_s0}, … of the tensors that they read
 * <li>of the lists of blocks seen in part the entries {@code pe} and the strides {@code pc_b} and {@code pc_h} of their
 *     counts, {@code pi_b}, {@code pi_h} and {@code pi_r} of their indices; {@code fe} and so on of those seen whole
 * </ul>
 */
record FlexKind(AttentionKind plain, TracedFunctions functions) {
  /** A bound of the sequences that problems are drawn of, and of what is drawn of functions' integers. */
  private static final int LONG = 1 << 21;
  /** Extents that no index reaches. */
  private static final int WIDE = 1 << 24;
  private static final int MOST_STRIDE = 1 << 20;
  /** Step through the lengths that attention's kernels are chosen by. */
  private static final int COARSER = 4;
  /** Queries of the kernels' tiles. */
  private static final long[] TILES = {32, 64, 128, 192};

  static FlexKind of(ElementType type, TracedFunctions functions) {
    return new FlexKind(new AttentionKind(type, AttentionKind.Mask.ALL, false,
        AttentionKind.Change.NONE, false), functions);
  }

  /** The case in the package's data. */
  OperatorCase of(List<Long> dims, OperatorCase.Problem problem) {
    var ofAttention = plain.of(plain.type().text() + "-" + functions.name(), dims, problem);
    return new OperatorCase(ofAttention.key(), ofAttention.axes().stream().map(FlexKind::coarser).toList(),
        ofAttention.extents(), ofAttention.slots(),
        Stream.concat(ofAttention.guesses().stream(), functions.listed() ? lists() : Stream.of()).toList(), problem);
  }

  /** The axis with fewer numbers: kernels with functions depend on no length but few queries. */
  private static Axis coarser(Axis axis) {
    int last = axis.values().size() - 1;
    if (axis.step() > 1) return axis;
    var fewer = IntStream.rangeClosed(0, last).filter(i -> i % COARSER == 0 || i == last).mapToObj(axis.values()::get);
    return new Axis(axis.name(), axis.formula(), axis.step(), fewer.toList());
  }

  /** Formulas of lists of tiles: their strides and bytes. */
  private static Stream<LongFunction<Formula>> lists() {
    return LongStream.of(TILES).boxed().flatMap(queries -> {
      var tiles = Formula.of("Sq").ceilDiv(Formula.of(queries));
      var shared = tiles.times(Formula.of("H").dividedBy(Formula.of("Hk")));
      LongFunction<Formula> blocks = keys -> Formula.of("Sk").ceilDiv(Formula.of(keys));
      var all = Formula.of("H").times(Formula.of("B"));
      return Stream.<LongFunction<Formula>>of(_ -> shared, keys -> blocks.apply(keys).times(tiles),
          keys -> blocks.apply(keys).times(tiles).times(Formula.of("H")),
          keys -> blocks.apply(keys).max(Formula.of(2)).times(tiles).times(all).times(Formula.of(Integer.BYTES)),
          keys -> blocks.apply(keys).times(shared), keys -> blocks.apply(keys).times(shared).times(Formula.of("Hk")),
          keys -> blocks.apply(keys).times(shared).times(Formula.of("Hk")).times(Formula.of("B"))
              .times(Formula.of(Integer.BYTES)));
    });
  }

  /** Draws a problem's numbers, with tensors that hold whatever functions read. */
  Map<String, Long> draw(Map<String, Long> axes, RandomGenerator random, String... tensors) {
    var n = new HashMap<>(plain.draw(axes, random));
    AttentionKind.drawStrides(n, random, tensors);
    for (int i = 0; i < functions.integers(); i++) n.put("i" + i, (long) LONG + random.nextInt(LONG));
    for (var tensor : functions.tensors()) {
      for (int mode = 0; mode < tensor.rank(); mode++) {
        n.put(tensor.name() + "_" + mode, (long) WIDE + random.nextInt(WIDE));
        // Odd: kernels that read two numbers in one access would need even ones.
        n.put(tensor.name() + "_s" + mode, 2L * random.nextInt(MOST_STRIDE) + 1);
      }
    }
    for (var list : functions.listed() ? List.of("p", "f") : List.<String>of()) {
      n.put(list + "e", 1L + random.nextInt(LONG));
      for (var stride : List.of("c_b", "c_h", "i_b", "i_h", "i_r")) {
        n.put(list + stride, (long) random.nextInt(MOST_STRIDE));
      }
    }
    return n;
  }

  /** The attention that numbers describe. */
  AttentionProblem problem(Map<String, Long> n) {
    var problem = plain.problem(n);
    var captures = Captures.NONE;
    for (int i = 0; i < functions.integers(); i++) captures = captures.and("i" + i, Math.toIntExact(n.get("i" + i)));
    for (int i = 0; i < functions.numbers(); i++) captures = captures.and("f" + i, 1f);
    for (var tensor : functions.tensors()) {
      var name = tensor.name();
      var extents = IntStream.range(0, tensor.rank()).mapToObj(mode -> n.get(name + "_" + mode)).toList();
      var strides = IntStream.range(0, tensor.rank()).mapToObj(mode -> mode == tensor.rank() - 1 ? Long.valueOf(1)
          : n.get(name + "_s" + mode)).toList();
      captures = captures.and(new Captures.Given(tensor, new LaunchArguments.Tensor(name, 0, extents, strides)));
    }
    var changed = new Modification(functions.score(), functions.mask(), captures, functions.blocks().map(blocks ->
        blocks(n, problem.sizes(), blocks)));
    return problem.with(changed).skipping(functions.listed());
  }

  private static GivenBlocks blocks(Map<String, Long> n, AttentionProblem.Sizes s, TracedFunctions.Blocks blocks) {
    long rows = Math.ceilDiv(s.queries(), blocks.queries());
    var extents = List.of((long) s.batch(), (long) s.heads(), rows);
    return new GivenBlocks(blocks.queries(), blocks.keys(), lists(n, "p", extents),
        Optional.of(lists(n, "f", extents)));
  }

  private static Lists lists(Map<String, Long> n, String list, List<Long> extents) {
    var counts = new LaunchArguments.Tensor(list + "c", 0, extents,
        List.of(n.get(list + "c_b"), n.get(list + "c_h"), 1L));
    var indices = new LaunchArguments.Tensor(list + "i", 0,
        List.of(extents.get(0), extents.get(1), extents.get(2), n.get(list + "e")),
        List.of(n.get(list + "i_b"), n.get(list + "i_h"), n.get(list + "i_r"), 1L));
    return new Lists(counts, indices);
  }

  /** Memory of 32-bit integers. */
  static Scratch integers(String name, long elements) {
    return new Scratch(name, ElementType.I32, Layout.columnMajor(elements));
  }
}
