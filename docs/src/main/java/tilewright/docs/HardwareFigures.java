package tilewright.docs;

import java.util.ArrayList;
import java.util.List;
import tilewright.layout.draw.Cell;
import tilewright.layout.draw.Drawing;
import tilewright.layout.draw.Panel;
import tilewright.layout.draw.Picture;

/** Figures of what the hardware does: a GEMM's warp-specialised pipeline, and the sum of a tensor core. */
final class HardwareFigures {
  /** Bits that the sum of the figure keeps below the largest exponent. */
  static final int KEPT = 6;

  private static final int COLUMNS = 13;
  /** The terms' significands, and how far their exponents are below the largest. */
  private static final List<Term> TERMS = List.of(new Term("10110", 0), new Term("11011", 2), new Term("10111", 5));

  private record Term(String significand, int shift) {}

  private HardwareFigures() {}

  /** The producer, the ring of stages and the consumers of the Hopper GEMM. */
  static Drawing hopperPipeline() {
    var drawing = new Drawing(815, 230, "A producer warpgroup fills a ring of stages in shared memory by TMA; two consumer"
        + " warpgroups multiply from it and store through the epilogue's stages")
        .box(10, 70, 110, 60, "A, B", "global memory")
        .arrow(120, 100, 180, 100).text(150, 88, "small", "TMA");
    drawing.frame(180, 50, 170, 100).text(265, 36, "", "ring of stages");
    for (int stage = 0; stage < 4; stage++) drawing.box(190 + 40 * stage, 70, 34, 60, String.valueOf(stage));
    drawing.arrow(350, 78, 430, 78).text(390, 66, "small", "full")
        .arrow(430, 122, 350, 122).text(390, 136, "small", "empty");
    for (int group = 0; group < 2; group++) {
      drawing.box(430, 40 + 70 * group, 150, 50, "warpgroup " + (group + 1), "wgmma, accumulators");
    }
    return drawing.arrow(580, 65, 640, 65).arrow(580, 135, 640, 135)
        .box(640, 40, 80, 120, "epilogue", "stages").arrow(720, 100, 770, 100).text(745, 88, "small", "TMA")
        .box(770, 75, 34, 50, "C")
        .box(180, 180, 170, 40, "warpgroup 0", "one thread issues copies").arrow(265, 180, 265, 150);
  }

  /** Three aligned terms, what is cut of them, and their sum. */
  static Picture tensorCoreSum() {
    var cells = new ArrayList<Cell>();
    long sum = 0;
    for (int row = 0; row < TERMS.size(); row++) {
      var term = TERMS.get(row);
      for (int i = 0; i < term.significand().length(); i++) {
        int below = term.shift() + i;
        boolean kept = below <= KEPT;
        if (kept && term.significand().charAt(i) == '1') sum += 1L << (KEPT - below);
        cells.add(Cell.of(row, below + 1, kept ? row : Cell.PLAIN, term.significand().substring(i, i + 1)));
      }
    }
    var digits = Long.toBinaryString(sum);
    for (int i = 0; i < digits.length(); i++) {
      cells.add(Cell.of(TERMS.size(), KEPT + 2 - digits.length() + i, TERMS.size(), digits.substring(i, i + 1)));
    }
    return Picture.of("A tensor core's sum with F = " + KEPT, Panel.of("", TERMS.size() + 1, COLUMNS, cells)
        .labelled(row -> row == TERMS.size() ? "sum" : "term " + (row + 1), column -> "2^" + (1 - column))
        .noted("coloured: bits that are added; plain: bits cut because they lie more than F below the largest exponent"));
  }
}
