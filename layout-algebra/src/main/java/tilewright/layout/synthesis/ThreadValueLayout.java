package tilewright.layout.synthesis;

import tilewright.layout.Composition;
import tilewright.layout.Inverse;
import tilewright.layout.Layout;
import tilewright.layout.decision.Decision;
import tilewright.layout.decision.TableCertificate;
import tilewright.layout.tuple.IntTuple;
import tilewright.layout.tuple.TupleArithmetic;

/**
 * A thread–value layout: the owner of each element of a tile (CuTe's make_layout_tv).
 *
 * @param tiler the tile's extents
 * @param layout (thread, value) ↦ colexicographic index in the tile
 */
public record ThreadValueLayout(IntTuple tiler, Layout layout) {

  /**
   * The tile in which each thread of {@code threads} holds the neighbours that {@code values} says.
   *
   * @param threads coordinate in the tile of threads ↦ thread
   * @param values coordinate in a thread's values ↦ value
   * @return undefined unless both reach each number below their size once
   */
  public static Decision<ThreadValueLayout> of(Layout threads, Layout values) {
    var operation = "make_layout_tv(" + threads + ", " + values + ")";
    for (var part : new Layout[] {threads, values}) {
      if (part.size() < 1 || !part.isBijective()) {
        return Decision.Undefined.of(operation, "threads and values are numbered 0, 1, … without gaps or repeats",
            part + " is not a bijection onto the numbers below " + part.size());
      }
    }
    var whole = threads.rakedProduct(values);
    var inverse = whole.rightInverse();
    var result = inverse.composition(Layout.columnMajor(threads.size(), values.size()));
    return new Decision.Defined<>(new ThreadValueLayout(TupleArithmetic.productEach(whole.shape()), result),
        new TableCertificate(whole + " of " + result + "(i) is i", result.size(),
            i -> whole.apply(result.apply(i)), i -> i));
  }

  /** Coordinate in the tile ↦ thread + threads · value: who holds it. */
  public Decision<Layout> inverse() {
    var operation = "inverse of the thread-value layout " + layout;
    return switch (Inverse.left(layout)) {
      case Decision.Undefined<Layout> undefined -> undefined.as(operation);
      case Decision.Defined<Layout>(var owner, var _) -> switch (Composition.of(owner, Layout.columnMajor(tiler))) {
        case Decision.Undefined<Layout> undefined -> undefined.as(operation);
        case Decision.Defined<Layout>(var byTile, var certificate) -> new Decision.Defined<>(byTile, certificate);
      };
    };
  }
}
