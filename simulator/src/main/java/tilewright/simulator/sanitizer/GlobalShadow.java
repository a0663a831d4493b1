package tilewright.simulator.sanitizer;

/** The shadow of one buffer in global memory, made page by page as the buffer is used; CTAs share it. */
public final class GlobalShadow {
  static final int PAGE_BITS = 12;
  static final int PAGE = 1 << PAGE_BITS;

  private final Shadow[] pages;
  private final boolean initialised;
  private final EarlierGrids earlier;

  public GlobalShadow(int bytes, boolean initialised, EarlierGrids earlier) {
    pages = new Shadow[(int) (((long) bytes + PAGE - 1) >> PAGE_BITS)];
    this.initialised = initialised;
    this.earlier = earlier;
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
