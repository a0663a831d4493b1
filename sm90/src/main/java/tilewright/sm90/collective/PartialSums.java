package tilewright.sm90.collective;

import java.util.List;
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
import tilewright.sm90.atom.WgmmaAtom;

/**
 * What CTAs have summed of tiles that others finish, in scratch memory: "partials", a tile of singles for each block,
 * and "flags", an integer for each of a block's consumers, which is 0 before the launch and 0 again after it. Who
 * finishes a tile adds the others' parts in their order, so that every run has the same bits.
 *
 * <p>A thread leaves its accumulators, four by four, for the thread of the same number.
 *
 * @param partials (four, lane, quad, consumer, block), column-major
 * @param flags (consumer, block), column-major
 */
public record PartialSums(Scope k, GlobalTensor partials, GlobalTensor flags) {
  private static final String PARTIALS = "partials";
  private static final String FLAGS = "flags";
  private static final int QUAD = 4;

  /**
   * Declares both tensors.
   *
   * @param consumers of a block
   */
  public static PartialSums of(Scope k, TiledWgmma mma, int consumers) {
    var partials = TensorSpec.of(PARTIALS, ElementType.F32, "four", "lane", "quad", "consumer", "block");
    var flags = TensorSpec.of(FLAGS, ElementType.I32, "consumer", "block");
    return new PartialSums(k, k.global(ofBlocks(partials, partials(mma, consumers)).aligned(QUAD)),
        k.global(ofBlocks(flags, flags(consumers))));
  }

  /** What both are for so many blocks. */
  public static List<PreparedLaunch.Scratch> scratch(TiledWgmma mma, int consumers, int blocks) {
    return List.of(
        new PreparedLaunch.Scratch(PARTIALS, ElementType.F32, ofBlocks(partials(mma, consumers), blocks)),
        new PreparedLaunch.Scratch(FLAGS, ElementType.I32, ofBlocks(flags(consumers), blocks)));
  }

  /** A block's. */
  private static Layout partials(TiledWgmma mma, int consumers) {
    int quads = mma.blocks() * WgmmaAtom.M * mma.columns() / (Warpgroup.SIZE * QUAD);
    return Layout.columnMajor(QUAD, Warpgroup.SIZE, quads, consumers);
  }

  private static Layout flags(int consumers) {
    return Layout.columnMajor(consumers);
  }

  private static Layout ofBlocks(Layout block, int blocks) {
    return Layout.of(Stream.concat(IntStream.range(0, block.rank()).mapToObj(block::mode),
        Stream.of(Layout.of(blocks, block.size()))).toList());
  }

  /** With the extents and strides of a block's layout; only how many blocks there are is left to the launch. */
  private static TensorSpec ofBlocks(TensorSpec spec, Layout block) {
    var modes = spec.extents();
    var known = spec.contiguous(modes.getFirst()).stride(modes.getLast(), block.size());
    for (int mode = 0; mode < block.rank(); mode++) {
      known = known.fixed(modes.get(mode), Math.toIntExact(block.mode(mode).size()));
      if (mode > 0) known = known.stride(modes.get(mode), block.mode(mode).stride().leaves().sum());
    }
    return known;
  }

  /**
   * Brings the parts of a tile together.
   *
   * @param sums a warpgroup's, of one part
   * @param store what is done where they have become those of the whole tile
   */
  public void gather(SharedTail tail, SharedTail.Part part, I32 lane, I32 group, Fragment sums, Runnable store) {
    k.when(part.isLast(), () -> {
      tail.forEachOther(part, other -> add(other, lane, group, sums));
      store.run();
    }, () -> leave(lane, group, sums));
  }

  private void leave(I32 lane, I32 group, Fragment sums) {
    for (int quad = 0; quad < sums.groups().size(); quad++) {
      place(k.blockX(), lane, group, quad).store(Vector.packed(k, ElementType.F32, sums.group(quad)));
    }
    meet(group);
    k.when(lane.equalTo(0), () -> flags.at(group, k.blockX()).drawTicket(2));
  }

  private void add(I32 block, I32 lane, I32 group, Fragment sums) {
    k.when(lane.equalTo(0), () -> flags.at(group, block).await(1));
    meet(group);
    for (int quad = 0; quad < sums.groups().size(); quad++) {
      var others = place(block, lane, group, quad).vector(QUAD).registers();
      for (int i = 0; i < QUAD; i++) {
        var sum = sums.group(quad).get(i);
        k.emit("add.f32", sum, sum, others.get(i));
      }
    }
    k.when(lane.equalTo(0), () -> flags.at(group, block).drawNext(k.constant(2)));
  }

  private Element place(I32 block, I32 lane, I32 group, int quad) {
    return partials.at(k.constant(0), lane, k.constant(quad), group, block);
  }

  private void meet(I32 group) {
    k.barrier(group.plus(1), Warpgroup.SIZE);
  }
}
