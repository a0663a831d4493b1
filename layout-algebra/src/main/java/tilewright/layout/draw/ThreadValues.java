package tilewright.layout.draw;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import tilewright.layout.OffsetMap;
import tilewright.layout.tuple.IntTuple;

/** The inverse of a (thread, value) layout as a panel: an element may belong to no thread, to one, or to several. */
final class ThreadValues {
  private ThreadValues() {}

  record Owner(long thread, long value) {}

  static Panel panel(OffsetMap threadValue, IntTuple tile) {
    if (threadValue.rank() != 2) {
      throw new IllegalArgumentException(threadValue + " has rank " + threadValue.rank()
          + "; a thread-value layout has a mode of threads and a mode of values");
    }
    var grid = Grid.of(tile, tile);
    var owners = owners(threadValue, tile, grid.size());
    return grid.panel("", grid.cells(index -> cell(grid, index, owners.get(index))), "");
  }

  private static List<List<Owner>> owners(OffsetMap threadValue, IntTuple tile, int size) {
    var owners = Stream.<List<Owner>>generate(ArrayList::new).limit(size).toList();
    var threads = threadValue.shape().mode(0).size();
    if (threadValue.size() > Grid.LARGEST) {
      throw new IllegalArgumentException(threadValue + " has " + threadValue.size()
          + " values of threads; a picture shows at most " + Grid.LARGEST);
    }
    for (long i = 0; i < threadValue.size(); i++) {
      var owner = new Owner(i % threads, i / threads);
      var index = threadValue.apply(i);
      if (index < 0 || index >= size) {
        throw new IllegalArgumentException("value " + owner.value + " of thread " + owner.thread + " is at index "
            + index + ", outside the tile " + tile + " of " + size + " elements: give a larger tile");
      }
      owners.get((int) index).add(owner);
    }
    return owners;
  }

  private static Cell cell(Grid grid, int index, List<Owner> owners) {
    if (owners.isEmpty()) return grid.cell(index, Cell.PLAIN, false, "no thread", "·");
    var first = owners.getFirst();
    var more = owners.size() > 1 ? "+" + (owners.size() - 1) : "";
    var hover = String.join(", ",
        owners.stream().map(owner -> "thread " + owner.thread + " value " + owner.value).toList());
    return grid.cell(index, first.thread, false, hover, "T" + first.thread, "V" + first.value + more);
  }
}
