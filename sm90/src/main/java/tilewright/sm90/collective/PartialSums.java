package tilewright.sm90.collective;

import java.util.ArrayList;
import java.util.List;
import tilewright.kernel.Element;
import tilewright.kernel.GlobalTensor;
import tilewright.kernel.I32;
import tilewright.kernel.Scope;
import tilewright.kernel.TensorSpec;
import tilewright.kernel.tiled.Fragment;
import tilewright.numerics.ElementType;
import tilewright.ptx.Operand;
import tilewright.sm90.atom.WgmmaAtom;

/**
 * What CTAs have summed of tiles that others finish, in scratch memory: "partials", a tile of singles for each block,
 * and "flags", an integer for each of a block's consumers, which is 0 before the launch and 0 again after it. Who
 * finishes a tile adds the others' parts in their order, so that every run has the same bits.
 *
 * <p>A thread leaves its accumulators for the thread of the same number.
 *
 * @param groups consumers of a block
 */
public record PartialSums(Scope k, TiledWgmma mma, int groups, GlobalTensor partials, GlobalTensor flags) {
  /** The name of the tensor of sums. */
  public static final String PARTIALS = "partials";
  /** The name of the tensor that says which of them are there. */
  public static final String FLAGS = "flags";
  private static final int QUAD = 4;

  /** Declares both tensors. */
  public static PartialSums of(Scope k, TiledWgmma mma, int groups) {
    return new PartialSums(k, mma, groups,
        k.global(TensorSpec.of(PARTIALS, ElementType.F32, "sums").contiguous("sums").aligned(QUAD)),
        k.global(TensorSpec.of(FLAGS, ElementType.I32, "consumers").contiguous("consumers")));
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
    forEachQuad(k.blockX(), lane, group, sums,
        (place, quad) -> k.emit("st.global.v4.f32", place, new Operand.Vector(List.copyOf(quad))));
    meet(group);
    k.when(lane.equalTo(0), () -> flag(k.blockX(), group).drawTicket(2));
  }

  private void add(I32 block, I32 lane, I32 group, Fragment sums) {
    k.when(lane.equalTo(0), () -> flag(block, group).await(1));
    meet(group);
    forEachQuad(block, lane, group, sums, (place, quad) -> {
      var other = new ArrayList<Operand>();
      for (int i = 0; i < QUAD; i++) other.add(k.newRegister(mma.sums()));
      k.emit("ld.global.v4.f32", new Operand.Vector(other), place);
      for (int i = 0; i < QUAD; i++) k.emit("add.f32", quad.get(i), quad.get(i), other.get(i));
    });
    k.when(lane.equalTo(0), () -> flag(block, group).drawNext(k.constant(2)));
  }

  private interface Use {
    void accept(Operand.Address place, List<Operand.Register> quad);
  }

  private void forEachQuad(I32 block, I32 lane, I32 group, Fragment sums, Use use) {
    int quads = sums.groups().size();
    var first = block.times(groups).plus(group).times(quads * WgmmaAtom.THREADS).plus(lane).times(QUAD);
    var here = partials.at(first).address();
    for (int quad = 0; quad < quads; quad++) {
      use.accept(new Operand.Address(here.base(), here.offset() + (long) quad * WgmmaAtom.THREADS * QUAD * Float.BYTES),
          sums.group(quad));
    }
  }

  private Element flag(I32 block, I32 group) {
    return flags.at(block.times(groups).plus(group));
  }

  private void meet(I32 group) {
    k.barrier(group.plus(1), WgmmaAtom.THREADS);
  }
}
