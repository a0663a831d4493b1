package tilewright.simulator.core;

/** The shadow of one buffer in global memory, made page by page as the buffer is used; CTAs share it. */
final class GlobalShadow {
  static final int PAGE_BITS = 12;
  static final int PAGE = 1 << PAGE_BITS;
  /** Two tell of a conflict with any later write but one by the only reader. */
  private static final int READERS = 2;

  private final Shadow[] pages;
  private final boolean initialised;

  GlobalShadow(int bytes, boolean initialised) {
    pages = new Shadow[(int) (((long) bytes + PAGE - 1) >> PAGE_BITS)];
    this.initialised = initialised;
  }

  Shadow page(int offset) {
    var page = pages[offset >>> PAGE_BITS];
    return page != null ? page : make(offset >>> PAGE_BITS);
  }

  private synchronized Shadow make(int number) {
    if (pages[number] == null) {
      pages[number] = new Shadow(PAGE / Shadow.WORD, READERS, initialised);
    }
    return pages[number];
  }

  /** Where the read goes: beside one of another CTA, if there is one. */
  static int slot(Shadow page, int word, long me) {
    long first = page.read(word, 0);
    return first == 0 || Epoch.sameCta(first, me) ? 0 : 1;
  }
}
