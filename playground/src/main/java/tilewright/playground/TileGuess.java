package tilewright.playground;

import tilewright.layout.Layout;
import tilewright.layout.OffsetMap;
import tilewright.layout.tuple.IntTuple;

/** The tile of a thread-value layout where the reader gives none. */
final class TileGuess {
  private TileGuess() {}

  /** The squarest matrix with one element for each index up to the layout's largest. */
  static IntTuple of(OffsetMap map) {
    var elements = map instanceof Layout layout ? layout.cosize() : map.size();
    long rows = (long) Math.sqrt(elements);
    while (rows > 1 && elements % rows != 0) rows--;
    return IntTuple.flat(elements / Math.max(1, rows), Math.max(1, rows));
  }
}
