package tilewright.docs;

import java.util.ArrayList;
import java.util.List;
import tilewright.async.atom.ByteTranspose;
import tilewright.kernel.TraceException;
import tilewright.layout.Layout;
import tilewright.layout.draw.Cell;
import tilewright.layout.draw.Panel;
import tilewright.layout.draw.Picture;
import tilewright.numerics.ElementType;
import tilewright.sm90.atom.RegisterOperand;
import tilewright.sm90.atom.WgmmaAtom;

/** The order of keys in which accumulators of 8-bit operands are operand A, from the layouts of the kernel. */
final class ConformanceFigures {
  /** Keys of a block, and columns of V. */
  static final int KEYS = 128;
  private static final int SHOWN = 16;
  private static final int THREADS_OF_A_ROW = 4;
  private static final int WARPGROUP = 128;
  private static final WgmmaAtom ATOM = new WgmmaAtom(ElementType.E4M3, KEYS);

  private ConformanceFigures() {}

  /** The owners of a row's first columns in both layouts, and the orders that follow. */
  static Picture keys() {
    var order = RegisterOperand.permuted(ATOM, ATOM).order();
    var cells = new ArrayList<Cell>();
    for (int column = 0; column < SHOWN; column++) {
      cells.add(owner(0, column, ATOM.accumulator(), "accumulators of S, column "));
      cells.add(owner(1, column, ATOM.operandA(), "operand A, k = "));
      long key = order.apply(column);
      cells.add(new Cell(2, column, 1, thread(ATOM.operandA(), column), List.of("" + key), false,
          "k = " + column + " of P·V is key " + key));
      long columnOfV = ByteTranspose.columnOfRow(KEYS).apply(column);
      cells.add(new Cell(3, column, 1, thread(ATOM.accumulator(), column), List.of("" + columnOfV), false,
          "column " + column + " of O's accumulators is column " + columnOfV + " of V"));
    }
    var labels = List.of("S, thread", "A, thread", "key of k", "column of O");
    return Picture.of("Who has the first %d columns of a row, and what they are".formatted(SHOWN),
        Panel.of("", labels.size(), SHOWN, cells).labelled(labels::get, String::valueOf)
            .noted("threads 0 to 3 share a row; the other columns follow alike"));
  }

  private static Cell owner(int row, int column, Layout layout, String where) {
    int thread = thread(layout, column);
    return new Cell(row, column, 1, thread, List.of("T" + thread), false, where + column + ": thread " + thread);
  }

  /** The thread that has a column of row 0. */
  private static int thread(Layout layout, int column) {
    long values = layout.mode(1).size();
    for (int thread = 0; thread < THREADS_OF_A_ROW; thread++) {
      for (long value = 0; value < values; value++) {
        if (layout.apply(thread + WARPGROUP * value) == (long) WgmmaAtom.M * column) return thread;
      }
    }
    throw new IllegalStateException("no thread of the first row has column " + column + " of " + layout);
  }

  /** The layouts that the order follows from. */
  static String table() {
    var operand = RegisterOperand.permuted(ATOM, ATOM);
    return """
        [cols="3,2"]
        |===
        |What |Layout

        |(thread, value) → element of S, accumulators of `m64n%1$dk32` |`+%2$s+`
        |(thread, value) → element of a slice of P, operand A |`+%3$s+`
        |k of P·V → key: the order of `RegisterOperand.permuted` |`+%4$s+`
        |(value of A, slice) → number of the accumulator |`+%5$s+`
        |column of the transposed V → key: `ByteTranspose.rowOfColumn` |`+%6$s+`
        |row of the transposed V → column of V: `ByteTranspose.columnOfRow` |`+%7$s+`
        |===
        """.formatted(KEYS, ATOM.accumulator(), ATOM.operandA(), operand.order(), operand.values(),
            ByteTranspose.rowOfColumn(KEYS), ByteTranspose.columnOfRow(KEYS));
  }

  /** Why accumulators are not operand A of a V whose keys are in their own order. */
  static String refusal() {
    try {
      return "accepted with the order " + RegisterOperand.of(ATOM, ATOM).order();
    } catch (TraceException e) {
      return e.getMessage();
    }
  }
}
