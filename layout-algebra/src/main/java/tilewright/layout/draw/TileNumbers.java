package tilewright.layout.draw;

import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import java.util.stream.LongStream;
import tilewright.layout.Layout;
import tilewright.layout.Tiler;
import tilewright.layout.tuple.IntTuple;

/** The tile in which each index of a shape lies, mode by mode: a tile that overhangs one does not reach the next. */
final class TileNumbers {
  private TileNumbers() {}

  /** @throws tilewright.layout.decision.UndefinedOperationException if the tiler does not divide the shape */
  static long[] of(IntTuple shape, Tiler tiler) {
    var divided = Layout.columnMajor(shape).zippedDivide(tiler);
    if (!(tiler instanceof Tiler.ByMode(var tilers))) {
      var tiles = ofValues(divided);
      return LongStream.range(0, shape.size()).map(tiles::get).toArray();
    }
    long[] numbers = {0};
    var tiles = 1L;
    for (var mode = 0; mode < shape.rank(); mode++) {
      var along = of(shape.mode(mode), mode < tilers.size() ? tilers.get(mode) : new Tiler.Keep());
      var before = numbers;
      var step = tiles;
      numbers = Arrays.stream(along).flatMap(number -> Arrays.stream(before).map(first -> first + step * number))
          .toArray();
      tiles *= divided.mode(1).mode(mode).size();
    }
    return numbers;
  }

  /** Maps each value of a layout of two modes to the index of the second mode; the smallest where several have it. */
  static Map<Long, Long> ofValues(Layout pairs) {
    var first = pairs.shape().mode(0).size();
    var numbers = new HashMap<Long, Long>();
    LongStream.range(0, pairs.size()).forEach(i -> numbers.putIfAbsent(pairs.apply(i), i / first));
    return numbers;
  }
}
