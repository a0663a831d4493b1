package tilewright.docs;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.function.UnaryOperator;
import java.util.stream.IntStream;
import tilewright.kernel.collective.attention.CapturedTensor;
import tilewright.kernel.collective.attention.Captures;
import tilewright.kernel.collective.attention.MaskMod;
import tilewright.kernel.collective.attention.Masks;
import tilewright.kernel.collective.attention.Modification;
import tilewright.kernels.attention.AttentionProblem;
import tilewright.kernels.attention.AttentionProblem.Sizes;
import tilewright.kernels.attention.BlockMask;
import tilewright.kernels.attention.BlockPicture;
import tilewright.layout.draw.Cell;
import tilewright.layout.draw.Panel;
import tilewright.layout.draw.Picture;
import tilewright.numerics.ElementType;
import tilewright.simulator.Simulator;
import tilewright.simulator.SimulatorOptions;

/** Figures of ready-made masks in blocks, as the block-mask kernel sorts them in the simulator. */
final class MaskFigures {
  private static final int LENGTH = 48;
  private static final int TILE = 4;
  private static final CapturedTensor NUMBERS = CapturedTensor.of("numbers", ElementType.I32, 2);
  private static final List<String> KINDS = List.of("hidden", "seen in part", "seen whole");

  private MaskFigures() {}

  /** Masks of positions alone. */
  static Picture positions() {
    return Picture.of(title(), panel("causal", Masks.causal()), panel("prefix of 14", Masks.prefixLm(14)),
        panel("window of 10", Masks.slidingWindow(10)), panel("chunks of 16", Masks.chunked(16)),
        panel("dilated by 8", Masks.dilatedSlidingWindow(40, 8)));
  }

  /** Masks of documents, spans, trees and images. */
  static Picture structures() {
    return Picture.of(title(), reading("documents", Masks.document(NUMBERS), i -> i % LENGTH / 14),
        reading("transfusion", Masks.transfusion(NUMBERS), i -> i % LENGTH % 20 < 8 ? -1 : i % LENGTH / 20),
        reading("tree behind 24 keys", Masks.tree(NUMBERS, LENGTH / 2),
            i -> isAncestor(i % LENGTH, i / LENGTH) ? 1 : 0),
        panel("NATTEN 8 × 6", Masks.natten2d(8, 6, 3, 3)), panel("8 global tokens", Masks.globalTokens(8)
            .or(Masks.slidingWindow(6))));
  }

  /** Whether a node of a binary tree is an ancestor of another, or itself. */
  private static boolean isAncestor(int node, int of) {
    return of < LENGTH / 2 && IntStream.iterate(of + 1, i -> i > 0, i -> i / 2).anyMatch(i -> i == node + 1);
  }

  private static String title() {
    return "Blocks of %d × %d pairs of %d queries and keys".formatted(TILE, TILE, LENGTH);
  }

  private static Panel panel(String title, MaskMod mask) {
    return panel(title, Modification.NONE.and(mask), i -> i);
  }

  /** A mask that reads a square of numbers, of which batch entries and rows may use the first. */
  private static Panel reading(String title, MaskMod mask, UnaryOperator<Integer> number) {
    return panel(title, Modification.NONE.and(mask)
        .with(Captures.NONE.and(Captures.Given.dense(NUMBERS, LENGTH, LENGTH))), number);
  }

  private static Panel panel(String title, Modification modification, UnaryOperator<Integer> number) {
    try (var arena = Arena.ofConfined()) {
      var problem = AttentionProblem.dense(ElementType.BF16, Sizes.of(1, LENGTH, LENGTH, 1, 64)).with(modification);
      var mask = new BlockMask(problem, TILE, TILE);
      var buffers = new HashMap<String, MemorySegment>();
      for (var name : BlockMask.BUFFERS) buffers.put(name, arena.allocate(mask.elements() * Integer.BYTES, 256));
      buffers.put(NUMBERS.name(), arena.allocateFrom(ValueLayout.JAVA_INT,
          IntStream.range(0, LENGTH * LENGTH).map(number::apply).toArray()));
      var launch = mask.prepare().on(buffers);
      Simulator.load(launch.ptx()).run(launch, SimulatorOptions.defaults());
      return panel(title, BlockPicture.of(mask, buffers, 0, 0).lines().toList());
    }
  }

  private static Panel panel(String title, List<String> lines) {
    var cells = new ArrayList<Cell>();
    for (int row = 0; row < lines.size(); row++) {
      for (int column = 0; column < lines.size(); column++) {
        int kind = "·▒█".indexOf(lines.get(row).charAt(column));
        cells.add(new Cell(row, column, 1, kind, List.of(""), kind == 1, "queries from " + row * TILE + ", keys from "
            + column * TILE + ": " + KINDS.get(kind)));
      }
    }
    return Panel.of(title, lines.size(), lines.size(), cells);
  }
}
