package tilewright.kernel.tiled;

import java.util.List;
import java.util.Optional;
import java.util.function.BiConsumer;
import java.util.stream.IntStream;
import tilewright.kernel.GlobalTensor;
import tilewright.kernel.I32;
import tilewright.kernel.Partition;
import tilewright.kernel.Pred;
import tilewright.kernel.Scope;
import tilewright.kernel.SharedTensor;
import tilewright.kernel.TraceException;
import tilewright.kernel.atom.CopyAtom;
import tilewright.layout.Layout;

/**
 * A copy atom repeated over threads and over a tile: threads lie on the tile as {@code threads} says, each with a run
 * of {@code values}; where the tile is larger than that, the pattern repeats.
 */
public final class TiledCopy {
  private final CopyAtom atom;
  private final Partition partition;
  private final int rows;
  private final int columns;
  private final Optional<Rounds> rounds;

  /** A loop over a tile, with at most this number of a thread's accesses in each round. */
  private record Rounds(Scope k, int accesses) {
    /** Steps of a round along the mode that has more: a divisor of them. */
    int of(int longest, int shortest) {
      int steps = Math.clamp(accesses / shortest, 1, longest);
      while (longest % steps != 0) steps--;
      return steps;
    }
  }

  private TiledCopy(CopyAtom atom, Partition partition, int rows, int columns, Optional<Rounds> rounds) {
    this.atom = atom;
    this.partition = partition;
    this.rows = rows;
    this.columns = columns;
    this.rounds = rounds;
  }

  /**
   * @param threads position (row, column) → thread
   * @param values position (row, column) → value, as many as the atom moves at once
   */
  public static TiledCopy of(CopyAtom atom, Layout threads, Layout values) {
    if (values.size() != atom.elements()) {
      throw new TraceException("values " + values + " are " + values.size() + " elements, the atom moves "
          + atom.elements());
    }
    int rows = Math.toIntExact(threads.mode(0).size() * values.mode(0).size());
    int columns = Math.toIntExact(threads.mode(1).size() * values.mode(1).size());
    // The raked product says which (thread, value) an element has; its inverse, where a thread's value is.
    var threadValue = threads.rakedProduct(values).rightInverse()
        .composition(Layout.columnMajor(threads.size(), values.size()));
    return new TiledCopy(atom, Partition.exact(threadValue, rows, columns), rows, columns, Optional.empty());
  }

  /**
   * A copy whose threads lie on the tile row by row, each with a run of neighbours along its row.
   *
   * @param columns threads along a row
   */
  public static TiledCopy rowMajor(CopyAtom atom, int threads, int columns) {
    return of(atom, Layout.of(Layout.of(threads / columns, columns), Layout.of(columns, 1)),
        Layout.columnMajor(1, atom.elements()));
  }

  /**
   * A copy whose threads lie on the tile column by column, each with a run of neighbours along its column.
   *
   * @param rows threads along a column
   */
  public static TiledCopy columnMajor(CopyAtom atom, int threads, int rows) {
    return of(atom, Layout.of(Layout.of(rows, 1), Layout.of(threads / rows, rows)),
        Layout.columnMajor(atom.elements(), 1));
  }

  /** The copy that may be left out where the condition is false, because nobody reads the result there. */
  public TiledCopy where(Pred condition) {
    return new TiledCopy(atom.where(condition), partition, rows, columns, rounds);
  }

  /** The copy in a loop with at most this number of a thread's accesses per round: fewer registers, less code. */
  public TiledCopy inRounds(Scope k, int accesses) {
    return new TiledCopy(atom, partition, rows, columns, Optional.of(new Rounds(k, accesses)));
  }

  /** Coordinates of a mode from one of a thread's accesses to its next. */
  public int step(int mode) {
    return mode == 0 ? rows : columns;
  }

  /**
   * Copies a tile: {@code source} from its origin on, {@code destination} at {@code stage}.
   *
   * @param rest coordinates of the source's modes behind the first two
   */
  public void copy(I32 thread, GlobalTensor source, SharedTensor destination, I32 stage, I32... rest) {
    eachAccess(thread, destination, (r, c) -> atom.copy(source, place(r, c, rest), destination.at(r, c, stage)));
  }

  /** The place of each element of a tile in another tensor. */
  @FunctionalInterface
  public interface Places {
    I32[] of(I32 row, I32 column);
  }

  /** Copies a tile whose rows or columns lie anywhere in the source. */
  public void copy(I32 thread, GlobalTensor source, SharedTensor destination, I32 stage, Places places) {
    eachAccess(thread, destination, (r, c) -> atom.copy(source, places.of(r, c), destination.at(r, c, stage)));
  }

  /** The rows of a tile that a thread copies, for a caller that looks up their {@link Places} ahead. */
  public List<I32> rows(I32 thread, SharedTensor tile) {
    return steps(partition.coordinate(thread, 0)[0], tile.layout().shape().mode(0).size(), rows);
  }

  /** Copies a tile back: what the destination has of it, in accesses as wide as the atom's. */
  public void copyBack(I32 thread, SharedTensor source, I32 stage, GlobalTensor destination, I32... rest) {
    eachAccess(thread, source, (r, c) -> {
      var to = destination.at(place(r, c, rest));
      source.at(r, c, stage).copyTo(to, atom.elements(), Optional.of(to.inside()));
    });
  }

  private static I32[] place(I32 row, I32 column, I32[] rest) {
    var place = new I32[2 + rest.length];
    place[0] = row;
    place[1] = column;
    System.arraycopy(rest, 0, place, 2, rest.length);
    return place;
  }

  private void eachAccess(I32 thread, SharedTensor tile, BiConsumer<I32, I32> access) {
    var extents = tile.layout().shape();
    long height = extents.mode(0).size();
    long width = extents.mode(1).size();
    if (height % rows != 0 || width % columns != 0) {
      throw new TraceException("a copy of " + rows + "×" + columns + " elements does not tile " + tile.layout());
    }
    var first = partition.coordinate(thread, 0);
    var down = steps(first[0], height, rows);
    var right = steps(first[1], width, columns);
    int longest = Math.max(down.size(), right.size());
    int together = rounds.map(r -> r.of(longest, Math.min(down.size(), right.size()))).orElse(longest);
    if (together == longest) {
      each(down, right, access);
      return;
    }
    var k = rounds.orElseThrow().k;
    if (longest == right.size()) {
      k.rolledLoop(Math.toIntExact(width), together * columns,
          offset -> each(down, from(right.subList(0, together), offset), access));
    } else {
      k.rolledLoop(Math.toIntExact(height), together * rows,
          offset -> each(from(down.subList(0, together), offset), right, access));
    }
  }

  private static void each(List<I32> down, List<I32> right, BiConsumer<I32, I32> access) {
    for (var column : right) down.forEach(row -> access.accept(row, column));
  }

  private static List<I32> from(List<I32> coordinates, I32 offset) {
    return coordinates.stream().map(offset::plus).toList();
  }

  private static List<I32> steps(I32 first, long extent, int step) {
    return IntStream.iterate(0, at -> at < extent, at -> at + step).mapToObj(first::plus).toList();
  }
}
