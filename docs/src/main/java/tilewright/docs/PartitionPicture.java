package tilewright.docs;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import tilewright.kernel.Partition;
import tilewright.layout.draw.Cell;
import tilewright.layout.draw.Panel;
import tilewright.layout.draw.Picture;

/**
 * The first corner of a tile, each run of neighbours with the thread that has it and the values that it is: what one
 * access moves. A tile of one row is drawn as the stripes that all threads cover together; of one with more than two,
 * the modes before the last are rows.
 */
final class PartitionPicture {
  private static final int ROWS = 8;
  private static final int RUNS = 8;

  private PartitionPicture() {}

  /** The thread that has an element, and its value's number there. */
  private record Owner(int thread, int value) {
    /** Whether an access that brings this brings the other one, so many elements further on. */
    boolean reaches(Owner other, int further) {
      return other.thread == thread && other.value == value + further;
    }
  }

  static Picture of(Partition partition) {
    var owners = owners(partition);
    long size = partition.size();
    boolean striped = partition.tile().getLast() == size;
    long columns = striped ? stripe(owners) : partition.tile().getLast();
    long rows = size / columns;
    var cells = new ArrayList<Cell>();
    int run = 0;
    for (int row = 0; row < Math.min(rows, ROWS); row++) {
      int column = 0;
      for (int shown = 0; shown < RUNS && column < columns; shown++) {
        int begin = column;
        var first = owners.get(index(striped, row, begin, rows, columns));
        do {
          column++;
        } while (column < columns
            && first.reaches(owners.get(index(striped, row, column, rows, columns)), column - begin));
        run = Math.max(run, column - begin);
        cells.add(cell(row, shown, begin, column, first));
      }
    }
    int width = cells.stream().mapToInt(Cell::column).max().orElse(0) + 1;
    int length = run;
    var panel = Panel.of("", (int) Math.min(rows, ROWS), width, cells)
        .labelled(row -> "row " + row, shown -> Integer.toString(shown * length))
        .noted("the first %d of %d rows, %d of %d columns; T is the thread, V its values".formatted(
            Math.min(rows, ROWS), rows, Math.min(columns, (long) width * run), columns));
    return Picture.of(partition.toString(), panel);
  }

  private static Cell cell(int row, int shown, int from, int to, Owner first) {
    var values = to - from == 1 ? "V" + first.value() : "V" + first.value() + "-" + (first.value() + to - from - 1);
    return new Cell(row, shown, 1, first.thread(), List.of("T" + first.thread(), values), false,
        "row " + row + ", columns " + from + " to " + (to - 1) + ": thread " + first.thread() + ", " + values);
  }

  /** Elements up to the one that is thread 0's again behind other threads'. */
  private static long stripe(List<Owner> owners) {
    boolean others = false;
    for (int i = 0; i < owners.size(); i++) {
      boolean mine = owners.get(i).thread() == 0;
      if (mine && others) return i;
      others |= !mine;
    }
    return owners.size();
  }

  /** Tiles are numbered along their first mode first. */
  private static int index(boolean striped, int row, int column, long rows, long columns) {
    return Math.toIntExact(striped ? row * columns + column : row + column * rows);
  }

  private static List<Owner> owners(Partition partition) {
    var owners = new ArrayList<Owner>(Collections.nCopies(partition.size(), new Owner(0, 0)));
    for (int value = 0; value < partition.values(); value++) {
      for (int thread = 0; thread < partition.threads(); thread++) {
        long element = partition.layout().apply((long) value * partition.threads() + thread);
        owners.set(Math.toIntExact(element), new Owner(thread, value));
      }
    }
    return owners;
  }
}
