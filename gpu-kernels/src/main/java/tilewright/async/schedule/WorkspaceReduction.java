package tilewright.async.schedule;

import java.util.List;
import java.util.function.UnaryOperator;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import tilewright.async.atom.Warpgroup;
import tilewright.kernel.Element;
import tilewright.kernel.GlobalTensor;
import tilewright.kernel.I32;
import tilewright.kernel.PreparedLaunch;
import tilewright.kernel.Scope;
import tilewright.kernel.TensorSpec;
import tilewright.kernel.Vector;
import tilewright.kernel.tiled.Fragment;
import tilewright.layout.Layout;
import tilewright.numerics.ElementType;

/**
 * Hands accumulators from CTA to CTA through a workspace in global memory: "partials", a tile of sums for each CTA, and
 * "flags", an integer for each of a CTA's warpgroups, which is 0 before the launch and 0 again after it. A thread
 * leaves its accumulators, four by four, for the thread of the same number.
 *
 * @param accumulators of a CTA
 * @param partials (four, lane, quad, consumer, block), column-major
 * @param flags (consumer, block), column-major
 */
public record WorkspaceReduction(Scope k, Accumulators accumulators, GlobalTensor partials, GlobalTensor flags) {
  private static final String PARTIALS = "partials";
  private static final String FLAGS = "flags";
  /** Quads that a thread reads before it adds the first: more take too many registers beside its own. */
  private static final int UNDER_WAY = 16;

  /** Declares both tensors. */
  static WorkspaceReduction of(Scope k, Accumulators accumulators) {
    var partials = TensorSpec.of(PARTIALS, accumulators.type(), "four", "lane", "quad", "consumer", "block");
    var flags = TensorSpec.of(FLAGS, ElementType.I32, "consumer", "block");
    return new WorkspaceReduction(k, accumulators,
        k.global(perCta(partials, partials(accumulators)).aligned(Accumulators.QUAD)),
        k.global(perCta(flags, flags(accumulators))));
  }

  /** The memory that a launch of this number of CTAs needs. */
  public static List<PreparedLaunch.Scratch> scratch(Accumulators accumulators, int blocks) {
    return List.of(new PreparedLaunch.Scratch(PARTIALS, accumulators.type(), perCta(partials(accumulators), blocks)),
        new PreparedLaunch.Scratch(FLAGS, ElementType.I32, perCta(flags(accumulators), blocks)));
  }

  /** One CTA's partials. */
  private static Layout partials(Accumulators accumulators) {
    return Layout.columnMajor(Accumulators.QUAD, Warpgroup.SIZE, accumulators.quads(), accumulators.warpgroups());
  }

  private static Layout flags(Accumulators accumulators) {
    return Layout.columnMajor(accumulators.warpgroups());
  }

  private static Layout perCta(Layout cta, int blocks) {
    return Layout.of(Stream.concat(IntStream.range(0, cta.rank()).mapToObj(cta::mode),
        Stream.of(Layout.of(blocks, cta.size()))).toList());
  }

  /** Fixes the extents and strides of a CTA's layout; only the number of CTAs is left to the launch. */
  private static TensorSpec perCta(TensorSpec spec, Layout cta) {
    var modes = spec.extents();
    var known = spec.contiguous(modes.getFirst()).stride(modes.getLast(), cta.size());
    for (int mode = 0; mode < cta.rank(); mode++) {
      known = known.fixed(modes.get(mode), Math.toIntExact(cta.mode(mode).size()));
      if (mode > 0) known = known.stride(modes.get(mode), cta.mode(mode).stride().leaves().sum());
    }
    return known;
  }

  /** A warpgroup leaves its accumulators for the CTA that finishes the tile. */
  void leave(I32 lane, I32 group, Fragment sums) {
    for (int quad = 0; quad < sums.groups().size(); quad++) {
      place(k.blockX(), lane, group, quad).store(Vector.packed(k, accumulators.type(), sums.group(quad)));
    }
    meet(group);
    k.when(lane.equalTo(0), () -> flags.at(group, k.blockX()).drawTicket(2));
  }

  /**
   * A warpgroup waits for the accumulators that other CTAs leave, and adds them to its own, one CTA's after the
   * other's.
   *
   * @param others how many CTAs, no more than a warpgroup has threads
   * @param block the number of each of them in the grid
   */
  void add(I32 others, UnaryOperator<I32> block, I32 lane, I32 group, Fragment sums) {
    k.when(lane.lessThan(others), () -> flags.at(group, block.apply(lane)).await(1));
    meet(group);
    k.loop(others, i -> add(block.apply(i), lane, group, sums));
    k.when(lane.lessThan(others), () -> flags.at(group, block.apply(lane)).drawNext(k.constant(2)));
  }

  private void add(I32 block, I32 lane, I32 group, Fragment sums) {
    int quads = sums.groups().size();
    for (int first = 0; first < quads; first += UNDER_WAY) {
      var read = IntStream.range(first, Math.min(quads, first + UNDER_WAY))
          .mapToObj(quad -> place(block, lane, group, quad).vector(Accumulators.QUAD).registers()).toList();
      for (int i = 0; i < read.size(); i++) accumulators.add(k, sums.group(first + i), read.get(i));
    }
  }

  private Element place(I32 block, I32 lane, I32 group, int quad) {
    return partials.at(k.constant(0), lane, k.constant(quad), group, block);
  }

  private void meet(I32 group) {
    k.barrier(group.plus(1), Warpgroup.SIZE);
  }
}
