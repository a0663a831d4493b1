package tilewright.simulator.core;

import java.util.Arrays;

/** The shadow of one buffer in global memory, made page by page as it is used. CTAs share it: lock its pages. */
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
      var page = new Shadow(PAGE / Shadow.WORD, READERS);
      if (initialised) Arrays.fill(page.initialised, (byte) 0xF);
      pages[number] = page;
    }
    return pages[number];
  }

  /** Where the read goes: beside one of another CTA, if there is one. */
  static int slot(Shadow page, int word, long me) {
    int slot = word * READERS;
    long first = page.read[slot];
    return first == 0 || Epoch.sameCta(first, me) ? slot : slot + 1;
  }
}
