package tilewright.simulator.sanitizer;

import tilewright.simulator.core.Access;
import tilewright.simulator.core.MemoryOrder;

/** The shadow of one buffer in global memory, made page by page as the buffer is used; CTAs share it. */
public final class GlobalShadow {
  static final int PAGE_BITS = 12;
  static final int PAGE = 1 << PAGE_BITS;

  private final Shadow[] pages;
  private final boolean initialised;
  private final boolean ordered;
  private final EarlierGrids earlier;

  /** @param ordered whether reductions of one place have to be ordered, as other writes have */
  public GlobalShadow(int bytes, boolean initialised, boolean ordered, EarlierGrids earlier) {
    pages = new Shadow[(int) (((long) bytes + PAGE - 1) >> PAGE_BITS)];
    this.initialised = initialised;
    this.ordered = ordered;
    this.earlier = earlier;
  }

  /** Whether reductions of one place have to be ordered. */
  boolean isOrdered() {
    return ordered;
  }

  /** How strong an access to the buffer counts as: that of a reduction whose order matters, as none. */
  MemoryOrder.Scope strength(int access, MemoryOrder.Scope scope) {
    return ordered && access == Access.ATOMIC ? MemoryOrder.Scope.NONE : scope;
  }

  /** The accesses that grids before this launch may still make to the buffer. */
  EarlierGrids earlier() {
    return earlier;
  }

  Shadow page(int offset) {
    var page = pages[offset >>> PAGE_BITS];
    return page != null ? page : make(offset >>> PAGE_BITS);
  }

  private synchronized Shadow make(int number) {
    if (pages[number] == null) {
      pages[number] = new Shadow(PAGE / Shadow.WORD, 0, true, 0, initialised);
    }
    return pages[number];
  }
}
