package tilewright.async.collective;

import tilewright.kernel.I32;
import tilewright.kernel.Scope;
import tilewright.ptx.Operand;
import tilewright.ptx.PtxType;

/**
 * A tile that CTAs of a cluster copy for each other, each a part of it.
 *
 * @param part the one of this CTA
 * @param parts CTAs that need the tile
 * @param first rank of the first of these
 * @param step from the rank of one to that of the next
 */
public record Share(I32 part, int parts, I32 first, int step) {

  /** A bit for every CTA that needs the tile. */
  Operand.Register mask(Scope k) {
    int ranks = 0;
    for (int i = 0; i < parts; i++) ranks |= 1 << i * step;
    var wide = k.newRegister(PtxType.B32);
    k.emit("shl.b32", wide, k.constant(ranks).register(), first.operand());
    var mask = k.newRegister(PtxType.B16);
    k.emit("cvt.u16.u32", mask, wide);
    return mask;
  }
}
