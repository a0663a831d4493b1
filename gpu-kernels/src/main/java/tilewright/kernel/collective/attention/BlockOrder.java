package tilewright.kernel.collective.attention;

import tilewright.kernel.I32;
import tilewright.kernel.Pred;
import tilewright.kernel.Scope;

/** The blocks of keys that a tile of queries looks at, in their order. */
public interface BlockOrder {

  /** Whether there is one. */
  Pred any();

  /** The block that comes first. */
  I32 begin();

  /** Visits all blocks in their order. */
  void visit(Scope k, Visitor visitor);

  /** The work on a block. */
  @FunctionalInterface
  interface Visitor {
    /**
     * @param masked whether some query may not see all of block {@code n}
     * @param next the block after it, where there is {@code more}
     */
    void accept(I32 n, boolean masked, I32 next, Pred more);
  }
}
