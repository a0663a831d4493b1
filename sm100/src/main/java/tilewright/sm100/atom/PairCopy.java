package tilewright.sm100.atom;

import tilewright.async.atom.Mbarrier;
import tilewright.kernel.Element;
import tilewright.kernel.I32;
import tilewright.kernel.MappedTensor;
import tilewright.kernel.Scope;
import tilewright.ptx.PtxType;

/**
 * {@code cp.async.bulk.tensor} for CTAs that multiply in pairs: a box lands in this CTA's memory, and its bytes count
 * at the barrier of the pair's first CTA (PTX ISA, Tensor copy, .cta_group::2; SM100).
 */
public final class PairCopy {
  /** Cluster addresses of the two CTAs of a pair differ in this bit. */
  private static final int FIRST_OF_PAIR = 0xFEFFFFFF;

  private PairCopy() {}

  /** The barrier in the same place of the pair's first CTA, for copies and arrivals within the cluster. */
  public static Mbarrier ofFirst(Mbarrier own) {
    return new Mbarrier(own.k(), own.place().and(FIRST_OF_PAIR));
  }

  /** A box to shared memory; {@code barrier} is the first CTA's. */
  public static void load(Scope k, Element destination, MappedTensor source, Mbarrier barrier, I32... coordinate) {
    k.emit(form(source) + ".cta_group::2", destination.address(), source.box(k, coordinate), barrier.address());
  }

  /** A box to the same place of every block of the cluster whose bit is set, and to its pair's barrier. */
  public static void multicast(Scope k, Element destination, MappedTensor source, Mbarrier barrier, I32 blocks,
      I32... coordinate) {
    var mask = k.newRegister(PtxType.B16);
    k.emit("cvt.u16.u32", mask, blocks.register());
    k.emit(form(source) + ".multicast::cluster.cta_group::2", destination.address(), source.box(k, coordinate),
        barrier.address(), mask);
  }

  private static String form(MappedTensor tensor) {
    return "cp.async.bulk.tensor." + tensor.spec().box().size()
        + "d.shared::cluster.global.tile.mbarrier::complete_tx::bytes";
  }
}
