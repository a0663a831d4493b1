package tilewright.kernels.attention.appending;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import java.util.function.IntConsumer;
import tilewright.kernel.Element;
import tilewright.kernel.F32;
import tilewright.kernel.I32;
import tilewright.kernel.Pred;
import tilewright.kernel.Vector;
import tilewright.reference.Rotation;

/**
 * A part of a row in a thread's registers: two runs of columns.
 *
 * @param places (token, head, column) of each run in the tile
 * @param inside whether there is such a row
 * @param exists whether its token has a position too
 * @param values what the runs are turned to, or none where they stay as they are
 */
record LoadedPart(TokenTile.Heads heads, List<I32[]> places, Pred inside, Pred exists, I32 position,
    List<Vector> loaded, List<F32> values) {

  /** Turns pairs as the embedding's kernel does: (a·c − b·s, b·c + a·s), rounded as written there. */
  LoadedPart turned(Rotation rotation, int pairs) {
    boolean half = rotation == Rotation.HALF;
    var column = places.getFirst()[2];
    var pair = half ? column : column.dividedBy(2);
    var cosines = TokenTile.angles(this, "C", pair, RowPart.RUN, pairs);
    var sines = TokenTile.angles(this, "T", pair, RowPart.RUN, pairs);
    var results = new ArrayList<>(elements());
    for (int i = 0; i < RowPart.RUN; i++) {
      int first = half ? i : 2 * i;
      int second = half ? i + RowPart.RUN : 2 * i + 1;
      var a = results.get(first);
      var b = results.get(second);
      results.set(first, a.fma(cosines.get(i), b.times(sines.get(i)).negated()));
      results.set(second, b.fma(cosines.get(i), a.times(sines.get(i))));
    }
    return new LoadedPart(heads, places, inside, exists, position, loaded, results);
  }

  private List<F32> elements() {
    return values.isEmpty() ? loaded.stream().flatMap(run -> run.values().stream()).toList() : values;
  }

  /** The elements of a run. */
  List<F32> run(int run) {
    return elements().subList(run * RowPart.RUN, (run + 1) * RowPart.RUN);
  }

  /** Stores the runs where {@code to} says, as numbers of their own type. */
  void store(Pred condition, Function<I32[], Element> to) {
    if (values.isEmpty()) {
      heads.k().when(condition, () -> forRuns(run -> to.apply(places.get(run)).store(loaded.get(run))));
    } else {
      store(values, condition, to);
    }
  }

  /**
   * Stores the runs where {@code to} says, as codes; what is no finite number has the code NaN.
   *
   * @param inverse 1 over the factor of the row's codes
   */
  void storeCodes(F32 inverse, Pred condition, Function<I32[], Element> to) {
    var k = heads.k();
    var nan = k.constant(Float.NaN);
    var most = k.constant(Float.MAX_VALUE);
    store(elements().stream().map(value -> value.times(inverse).where(value.magnitude().atMost(most), nan)).toList(),
        condition, to);
  }

  private void store(List<F32> elements, Pred condition, Function<I32[], Element> to) {
    heads.k().when(condition, () -> forRuns(run -> to.apply(places.get(run))
        .store(elements.subList(run * RowPart.RUN, (run + 1) * RowPart.RUN))));
  }

  private void forRuns(IntConsumer body) {
    for (int run = 0; run < places.size(); run++) body.accept(run);
  }
}
