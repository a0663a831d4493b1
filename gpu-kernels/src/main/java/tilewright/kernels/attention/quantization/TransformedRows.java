package tilewright.kernels.attention.quantization;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import tilewright.kernel.F32;
import tilewright.kernel.GlobalTensor;
import tilewright.kernel.I32;
import tilewright.kernel.Scope;
import tilewright.kernel.Vector;
import tilewright.kernel.atom.Shuffle;
import tilewright.reference.Rotation;

/** The rows that a thread has after their {@link RowTransform}, in registers. */
final class TransformedRows {
  private final Scope k;
  private final RowTransform transform;
  private final List<Row> rows;

  /**
   * One row of the thread.
   *
   * @param runs the (row, column) in the tile of the first of eight neighbours, run by run
   * @param values the thread's elements, in the order of the runs
   */
  record Row(List<I32[]> runs, List<F32> values) {
    /** The values of one run. */
    List<F32> of(int run) {
      return values.subList(run * RowTransform.RUN, (run + 1) * RowTransform.RUN);
    }
  }

  private TransformedRows(Scope k, RowTransform transform, List<Row> rows) {
    this.k = k;
    this.transform = transform;
    this.rows = rows;
  }

  /** Reads and transforms the rows of a block of a head; rows beyond the sequence are zeros. */
  static TransformedRows read(Scope k, RowTransform transform, I32 thread, I32 batch, I32 block, I32 head) {
    var zero = k.constant(0);
    var x = k.global(RowTransform.source(transform.type(), transform.dim()))
        .tile(List.of(1, transform.rows()), batch, block, head, zero);
    var mine = transform.partition();
    var loaded = new ArrayList<List<Vector>>();
    var runs = new ArrayList<List<I32[]>>();
    int vector = RowTransform.vector(transform.type());
    for (int pass = 0; pass < transform.passes(); pass++) {
      int first = pass * transform.perRow();
      var places = new ArrayList<I32[]>();
      var vectors = new ArrayList<Vector>();
      for (int i = 0; i < transform.perRow(); i += RowTransform.RUN) {
        var place = mine.coordinate(thread, first + i);
        places.add(place);
        for (int part = 0; part < RowTransform.RUN; part += vector) {
          var from = x.at(zero, place[0], zero, place[1].plus(part));
          vectors.add(from.vectorOrZeros(vector, from.inside()));
        }
      }
      runs.add(places);
      loaded.add(vectors);
    }
    var steps = new Steps(k, transform, thread, block);
    var signs = steps.signs(runs.getFirst());
    var results = new ArrayList<Row>();
    for (int pass = 0; pass < loaded.size(); pass++) {
      var values = loaded.get(pass).stream().flatMap(v -> v.values().stream()).toList();
      results.add(new Row(runs.get(pass), steps.apply(values, runs.get(pass), signs)));
    }
    return new TransformedRows(k, transform, results);
  }

  void forEach(Consumer<Row> body) {
    rows.forEach(body);
  }

  /** The magnitudes of the thread's elements. */
  Magnitudes magnitudes() {
    return Magnitudes.of(k, () -> rows.stream().flatMap(row -> row.values.stream()).toList());
  }

  /** The steps of a transform, in its order. */
  private record Steps(Scope k, RowTransform transform, I32 thread, I32 block) {

    /** The signs of the thread's columns, which all of its rows share. */
    List<F32> signs(List<I32[]> runs) {
      if (!transform.hadamard()) return List.of();
      var signs = k.global(RowTransform.signs(transform.dim()));
      var values = new ArrayList<F32>();
      for (var run : runs) {
        for (int i = 0; i < RowTransform.RUN; i += 4) values.addAll(signs.at(run[1].plus(i)).vector(4).values());
      }
      return values;
    }

    List<F32> apply(List<F32> values, List<I32[]> runs, List<F32> signs) {
      var turned = transform.rotation() == Rotation.NONE ? values : rotated(values, runs);
      if (!transform.hadamard()) return turned;
      var signed = new ArrayList<F32>();
      for (int i = 0; i < turned.size(); i++) signed.add(turned.get(i).times(signs.get(i)));
      return hadamard(signed);
    }

    /** Turns pairs as the embedding's kernel does: (a·c − b·s, b·c + a·s), rounded as written there. */
    private List<F32> rotated(List<F32> values, List<I32[]> runs) {
      var c = k.global(RowTransform.table("C", transform.dim() / 2)).tile(List.of(transform.rows()), block,
          k.constant(0));
      var t = k.global(RowTransform.table("T", transform.dim() / 2)).tile(List.of(transform.rows()), block,
          k.constant(0));
      var results = new ArrayList<>(values);
      boolean half = transform.rotation() == Rotation.HALF;
      int pairs = half ? RowTransform.RUN : RowTransform.RUN / 2;
      for (int run = 0; run < (half ? runs.size() / 2 : runs.size()); run++) {
        var place = runs.get(run);
        var column = half ? place[1] : place[1].dividedBy(2);
        var cosines = angles(c, place[0], column, pairs);
        var sines = angles(t, place[0], column, pairs);
        for (int i = 0; i < pairs; i++) {
          int first = run * RowTransform.RUN + (half ? i : 2 * i);
          int second = half ? first + values.size() / 2 : first + 1;
          var a = values.get(first);
          var b = values.get(second);
          results.set(first, a.fma(cosines.get(i), b.times(sines.get(i)).negated()));
          results.set(second, b.fma(cosines.get(i), a.times(sines.get(i))));
        }
      }
      return results;
    }

    private static List<F32> angles(GlobalTensor table, I32 row, I32 column, int count) {
      var values = new ArrayList<F32>();
      for (int i = 0; i < count; i += 4) {
        var from = table.at(row, column.plus(i));
        values.addAll(from.vectorOrZeros(4, from.inside()).values());
      }
      return values;
    }

    /** Butterflies of neighbours first, then between lanes, then of the thread's runs, the halves of the head last. */
    private List<F32> hadamard(List<F32> values) {
      var results = new ArrayList<>(values);
      for (int step = 1; step < RowTransform.RUN; step *= 2) butterflies(results, step);
      for (int mask = 1; mask < transform.lanes(); mask *= 2) {
        var upper = thread.dividedBy(mask).modulo(2).equalTo(1);
        var sign = k.constant(-1f).where(upper, k.constant(1f));
        for (int i = 0; i < results.size(); i++) {
          var other = Shuffle.butterfly(k, results.get(i), mask);
          results.set(i, results.get(i).fma(sign, other));
        }
      }
      for (int step = 1; step < transform.runs(); step *= 2) butterflies(results, step * RowTransform.RUN);
      butterflies(results, results.size() / 2);
      return results;
    }

    private static void butterflies(List<F32> values, int step) {
      for (int i = 0; i < values.size(); i++) {
        if (i / step % 2 == 1) continue;
        var a = values.get(i);
        var b = values.get(i + step);
        values.set(i, a.plus(b));
        values.set(i + step, a.minus(b));
      }
    }
  }
}
