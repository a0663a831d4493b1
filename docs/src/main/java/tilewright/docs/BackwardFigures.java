package tilewright.docs;

import java.util.List;
import tilewright.layout.draw.Drawing;

/** Figures of the five GEMMs of attention's gradients: which unit works on which of them, in which order. */
final class BackwardFigures {
  /** Hopper's warpgroups with 64 keys each: head dimensions up to 128. */
  static final List<Phase> OWN_KEYS = List.of(
      new Phase("Sᵀ = K·Qᵀ", "its 64 keys", "", ""),
      new Phase("dPᵀ = V·dOᵀ", "its 64 keys", "Pᵀ = exp2(…)", "stays in registers", "ex2"),
      new Phase("dV += Pᵀ·dO", "its 64 keys", "dSᵀ = Pᵀ∘(dPᵀ−D)", "registers, shared", "stmatrix"),
      Phase.EXCHANGE,
      new Phase("dQ = dS·K", "half, all keys", "", ""),
      new Phase("dK += dSᵀ·Q", "its 64 keys", "adds dQ", "red.global.add", "red"));

  /** Hopper's warpgroups that share the head dimension of 64 keys: head dimensions 192 and 256. */
  static final List<Phase> SHARED_KEYS = List.of(
      new Phase("Sᵀ = K·Qᵀ", "its 32 queries", "", ""),
      new Phase("dPᵀ = V·dOᵀ", "its 32 queries", "Pᵀ = exp2(…)", "to shared memory", "ex2", "stmatrix"),
      new Phase("", "", "dSᵀ = Pᵀ∘(dPᵀ−D)", "to shared memory", "stmatrix"),
      Phase.EXCHANGE,
      new Phase("dV += Pᵀ·dO", "half of columns", "", ""),
      new Phase("dQ = dS·K", "half of columns", "", ""),
      new Phase("dK += dSᵀ·Q", "half of columns", "adds dQ", "red.global.add", "red"));

  private static final int LEFT = 110;
  private static final int PHASE = 128;
  private static final int EXCHANGE = 24;
  private static final int ROW = 52;
  private static final int BOX = 42;
  private static final int TOP = 24;
  private static final int WARPGROUPS = 2;

  /**
   * A part of a warpgroup's step: a GEMM of its tensor cores, and the work of its threads beside it.
   *
   * @param gemm the GEMM that runs, empty for none; {@code share} the warpgroup's part of it
   * @param threads what threads compute meanwhile, empty where they wait; {@code place} where it goes
   * @param instructions the threads' instructions that show it
   */
  record Phase(String gemm, String share, String threads, String place, List<String> instructions) {
    /** The barrier of all warpgroups at which P and dS are exchanged. */
    static final Phase EXCHANGE = new Phase("", "", "", "", "bar");

    Phase(String gemm, String share, String threads, String place, String... instructions) {
      this(gemm, share, threads, place, List.of(instructions));
    }

    boolean isExchange() {
      return equals(EXCHANGE);
    }
  }

  private BackwardFigures() {}

  /** A tile of queries in Hopper's kernel. */
  static Drawing hopper(List<Phase> phases, String title) {
    int width = phases.stream().mapToInt(phase -> phase.isExchange() ? EXCHANGE : PHASE).sum();
    int bottom = TOP + 2 * ROW * WARPGROUPS;
    var drawing = new Drawing(LEFT + width + 10, bottom + 24, title);
    for (int group = 0; group < WARPGROUPS; group++) {
      int top = TOP + 2 * ROW * group;
      drawing.text(6, top + 18, "title", "warpgroup " + (group + 1)).text(6, top + 34, "title", "tensor cores")
          .text(6, top + ROW + 26, "title", "its threads").line(LEFT, top + BOX / 2, LEFT + width, top + BOX / 2)
          .line(LEFT, top + ROW + BOX / 2, LEFT + width, top + ROW + BOX / 2);
    }
    int left = LEFT;
    for (var phase : phases) {
      if (phase.isExchange()) {
        int middle = left + EXCHANGE / 2;
        drawing.frame(middle - 3, TOP - 4, 6, bottom - TOP).text(middle, 12, "small", "exchange barrier");
      } else {
        for (int group = 0; group < WARPGROUPS; group++) {
          int top = TOP + 2 * ROW * group;
          box(drawing, left, top, 1, phase.gemm(), phase.share());
          box(drawing, left, top + ROW, 1, phase.threads(), phase.place());
        }
      }
      left += phase.isExchange() ? EXCHANGE : PHASE;
    }
    return drawing.text(LEFT + width / 2, bottom + 14, "small", "order, not duration; line: waiting");
  }

  /** Tile i of queries in Blackwell's kernel of one CTA, and what is left to do for the tile before. */
  static Drawing blackwell() {
    var drawing = new Drawing(LEFT + 5 * PHASE + 10, TOP + 3 * ROW + 12,
        "Blackwell: the MMA warp issues Sᵀ of tile i, dK and dQ of tile i−1, dPᵀ and dV of tile i; two warpgroups"
            + " compute P and dS, one adds dQ");
    var lanes = List.of("MMA warp", "2 warpgroups", "1 warpgroup");
    for (int lane = 0; lane < lanes.size(); lane++) {
      int middle = TOP + ROW * lane + BOX / 2;
      drawing.text(6, middle + 5, "title", lanes.get(lane)).line(LEFT, middle, LEFT + 5 * PHASE, middle);
    }
    var products = List.of("Sᵀ = K·Qᵀ", "dK += dSᵀ·Q", "dQ = dS·K", "dPᵀ = V·dOᵀ", "dV += Pᵀ·dO");
    for (int i = 0; i < products.size(); i++) {
      box(drawing, LEFT + PHASE * i, TOP, 1, products.get(i), i == 1 || i == 2 ? "tile i−1" : "tile i");
    }
    box(drawing, LEFT, TOP + ROW, 1, "dSᵀ", "tile i−1");
    box(drawing, LEFT + PHASE, TOP + ROW, 2, "Pᵀ = exp2(…)", "tile i");
    box(drawing, LEFT + 4 * PHASE, TOP + ROW, 1, "dSᵀ", "tile i");
    box(drawing, LEFT + 3 * PHASE, TOP + 2 * ROW, 2, "adds dQ", "tile i−1");
    return drawing.text(LEFT + 5 * PHASE / 2, TOP + 3 * ROW + 6, "small", "order, not duration; line: waiting");
  }

  private static void box(Drawing drawing, int left, int top, int phases, String name, String note) {
    if (!name.isEmpty()) drawing.box(left + 2, top, phases * PHASE - 4, BOX, name, note);
  }
}
