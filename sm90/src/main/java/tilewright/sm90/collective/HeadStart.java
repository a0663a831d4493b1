package tilewright.sm90.collective;

import tilewright.kernel.I32;
import tilewright.kernel.I32Variable;
import tilewright.kernel.Scope;

/**
 * Has one operand of a CTA's first stages copied before the kernel before this one has ended. The other operand, which
 * that kernel may write, follows once it has.
 *
 * @param ofA whether A is copied first, else B
 * @param left stages that have only the first operand
 */
public record HeadStart(boolean ofA, I32Variable left) {

  /** Begins the first tile of a C of these extents, as far as the ring reaches; the producer's thread does it. */
  public static HeadStart of(Mainloop loop, Pipeline ring, boolean ofA, I32 extentM, I32 extentN, I32 batch) {
    var k = loop.k();
    var left = k.variable(loop.steps().min(ring.stages()).where(loop.tiles().haveFirst(extentM, extentN, batch), 0), ring.stages());
    var stage = ring.producer();
    loop.tiles().first(extentM, extentN, (m, n, entry) -> k.loop(left.value(), step -> {
      var landed = stage.acquire(loop.bytes());
      var place = loop.first().plus(step);
      if (ofA) loop.copyA(stage, landed, m, place, entry);
      else loop.copyB(stage, landed, n, place, entry);
      stage.advance();
    }));
    return new HeadStart(ofA, left);
  }

  /** Has the next stage begun unless it is; what is left of it follows. */
  void unlessBegun(Scope k, Runnable begin) {
    k.when(left.value().lessThan(1), begin);
    left.set(left.value().plus(-1).max(0));
  }
}
