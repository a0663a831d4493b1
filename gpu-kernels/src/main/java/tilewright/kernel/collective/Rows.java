package tilewright.kernel.collective;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Supplier;
import tilewright.kernel.F32;
import tilewright.kernel.GlobalTensor;
import tilewright.kernel.I32;
import tilewright.kernel.Pred;
import tilewright.kernel.Scope;
import tilewright.kernel.Vector;
import tilewright.kernel.atom.CpAsync;
import tilewright.layout.Layout;

/**
 * The rows of a matrix that a CTA works on, spread over its threads. A row that fits is read once and kept in
 * registers, packed, the rest of it in shared memory; a longer one is read again by every pass.
 */
public final class Rows {
  private final Scope k;
  private final RowShape shape;
  private final I32[] first;
  private final GlobalTensor x;
  private final List<Supplier<Vector>> resident = new ArrayList<>();

  /** A run of neighbours of one row. */
  public final class Run {
    private final I32 row;
    private final I32 column;
    private final Supplier<Vector> vector;

    private Run(I32 row, I32 column, Supplier<Vector> vector) {
      this.row = row;
      this.column = column;
      this.vector = vector;
    }

    /** Whether the row has this run; without it the values are zeros. */
    public Pred inside() {
      return x.contains(row, column);
    }

    public List<F32> values() {
      return vector.get().values();
    }

    /** The values, where the row has none a stand-in that does not matter to the reduction. */
    public List<F32> valuesOr(float neutral) {
      return values().stream().map(v -> v.where(inside(), k.constant(neutral))).toList();
    }

    /** The run's place in another tensor with the same rows. */
    public void store(GlobalTensor y, List<F32> results) {
      k.when(inside(), () -> y.at(row, column).store(results));
    }

    /** The run's columns of a vector that all rows share; zeros where the row has none. */
    public List<F32> shared(GlobalTensor weights) {
      return weights.at(column).vectorOrZeros(shape.vector(), weights.contains(column)).values();
    }
  }

  /** @param tile of the matrix, from the CTA's first row on */
  public Rows(Scope k, I32 thread, RowShape shape, GlobalTensor tile) {
    this.k = k;
    this.shape = shape;
    this.x = tile;
    this.first = shape.partition().coordinate(thread, 0);
    if (shape.resident()) load(thread);
  }

  /** What stays in shared memory is only ever read by the thread that brought it, so nothing but its arrival counts. */
  private void load(I32 thread) {
    var places = places(k.constant(0));
    int inShared = shape.accesses() - shape.kept();
    var later = new ArrayList<Supplier<Vector>>();
    if (inShared > 0) {
      int vector = shape.vector();
      var type = x.spec().type();
      var copy = new CpAsync(k, vector, type.bytes());
      var shared = k.shared(type, Layout.of(Layout.of(shape.block(), vector), Layout.of(vector, 1),
          Layout.of(inShared, (long) shape.block() * vector)));
      for (int i = 0; i < inShared; i++) {
        var mine = shared.at(thread, k.constant(0), k.constant(i));
        copy.copy(x, places.get(shape.kept() + i), mine);
        later.add(() -> mine.vector(vector));
      }
      CpAsync.commit(k);
    }
    for (var place : places.subList(0, shape.kept())) {
      var vector = x.at(place).vectorOrZeros(shape.vector(), x.contains(place));
      resident.add(() -> vector);
    }
    resident.addAll(later);
    if (inShared > 0) CpAsync.waitFor(k, 0);
  }

  /** This thread's row, from the CTA's first on. */
  public I32 row() {
    return first[0];
  }

  /** Whether this thread is the first of its row, and the matrix has the row. */
  public Pred leads() {
    return first[1].equalTo(0).and(x.contains(first[0], k.constant(0)));
  }

  /** Does something with each of this thread's runs; what changes from run to run is an accumulator. */
  public void forEach(Consumer<Run> body) {
    if (shape.resident()) {
      var mine = places(k.constant(0));
      for (int i = 0; i < mine.size(); i++) body.accept(new Run(mine.get(i)[0], mine.get(i)[1], resident.get(i)));
    } else {
      k.loop(k.constant(0), x.extent(1), shape.columns(), from -> eachRun(from, body));
    }
  }

  private void eachRun(I32 from, Consumer<Run> body) {
    var runs = new ArrayList<Run>();
    for (var place : places(from)) {
      var vector = x.at(place).vectorOrZeros(shape.vector(), x.contains(place));
      runs.add(new Run(place[0], place[1], () -> vector));
    }
    runs.forEach(body);
  }

  private List<I32[]> places(I32 from) {
    var places = new ArrayList<I32[]>();
    for (int access = 0; access < shape.accesses(); access++) {
      var offset = shape.accessOffset(access);
      places.add(new I32[] {first[0], first[1].plus(offset).plus(from)});
    }
    return places;
  }
}
