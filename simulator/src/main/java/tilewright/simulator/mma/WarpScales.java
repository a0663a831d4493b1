package tilewright.simulator.mma;

import tilewright.simulator.Finding.Kind;
import tilewright.simulator.core.Fault;
import tilewright.simulator.core.Warp;

/**
 * The block scales of one operand of {@code mma.sync} (PTX ISA, Block scaling for mma.sync): a lane's register has
 * those of a row of A or a column of B, and an instruction names which of a quad's lanes and which of the bytes it
 * means.
 *
 * @param words of the lanes
 * @param first byte of a word
 * @param thread that is meant: of A a pair of a quad, for rows eight apart, of B one of four
 * @param vector scales of a row or column
 */
record WarpScales(int[] words, int first, int thread, int vector, boolean rows) {
  static WarpScales ofA(Warp w, int[] words, int first, int thread, int vector, int site) {
    return of(w, words, first, thread, vector, true, site);
  }

  static WarpScales ofB(Warp w, int[] words, int first, int thread, int vector, int site) {
    return of(w, words, first, thread, vector, false, site);
  }

  private static WarpScales of(Warp w, int[] words, int first, int thread, int vector, boolean rows, int site) {
    int threads = rows ? 2 : 4;
    if (first < 0 || first + vector > Integer.BYTES || first % vector != 0 || thread < 0 || thread >= threads) {
      throw new Fault(Kind.INVALID_OPERATION, site, 0, first, w.who(0) + " names byte " + first + " and thread "
          + thread + " for scale_vec::" + vector + "X of " + (rows ? "A" : "B") + ": the byte must be a multiple of "
          + vector + " below 4, and the thread below " + threads);
    }
    return new WarpScales(words, first, thread, vector, rows);
  }

  /** The bits of one scale of a row of A, or a column of B. */
  int of(int line, int index) {
    int lane = rows ? 4 * (line % 8) + 2 * thread + line / 8 : 4 * line + thread;
    return words[lane] >>> Byte.SIZE * (first + index) & 0xFF;
  }
}
