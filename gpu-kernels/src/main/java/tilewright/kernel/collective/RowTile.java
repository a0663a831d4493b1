package tilewright.kernel.collective;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.function.BiConsumer;
import java.util.function.BiFunction;
import java.util.function.BinaryOperator;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import tilewright.kernel.F32;
import tilewright.kernel.GlobalTensor;
import tilewright.kernel.I32;
import tilewright.kernel.Pred;
import tilewright.kernel.Scope;
import tilewright.kernel.Vector;

/** A CTA's tile of rows as one thread sees it: runs of neighbours of one row or of a few. */
public final class RowTile {
  private final Scope k;
  private final RowShape shape;
  private final GlobalTensor x;
  private final RowReduction across;
  private final Function<I32, List<I32[]>> places;
  private final List<Supplier<Vector>> held;

  /** Rows whose values are held. */
  RowTile(Scope k, RowShape shape, GlobalTensor x, RowReduction across, List<I32[]> places,
      List<Supplier<Vector>> held) {
    this(k, shape, x, across, _ -> places, held);
  }

  /** One row that every pass walks through; its runs' places from a column on. */
  RowTile(Scope k, RowShape shape, GlobalTensor x, RowReduction across, Function<I32, List<I32[]>> places) {
    this(k, shape, x, across, places, List.of());
  }

  private RowTile(Scope k, RowShape shape, GlobalTensor x, RowReduction across, Function<I32, List<I32[]>> places,
      List<Supplier<Vector>> held) {
    this.k = k;
    this.shape = shape;
    this.x = x;
    this.across = across;
    this.places = places;
    this.held = held;
  }

  /** A run of neighbours of one row. */
  public final class Run {
    private final int number;
    private final I32[] place;
    private final Supplier<Vector> vector;

    private Run(int number, I32[] place, Supplier<Vector> vector) {
      this.number = number;
      this.place = place;
      this.vector = vector;
    }

    /** The number of its row among the thread's. */
    int row() {
      return number / shape.accesses();
    }

    int access() {
      return number % shape.accesses();
    }

    I32 column() {
      return place[1];
    }

    /** Whether the row has this run; without it the values are zeros. */
    public Pred inside() {
      return x.contains(place);
    }

    public List<F32> values() {
      return vector.get().values();
    }

    /** The values, converted where they are used. */
    public List<F32> valuesLater() {
      return vector.get().valuesLater();
    }

    /** The values, where the row has none a stand-in that does not matter to the reduction. */
    public List<F32> valuesOr(float neutral) {
      return values().stream().map(v -> v.where(inside(), k.constant(neutral))).toList();
    }

    /** The number of the run's row in the matrix. */
    public I32 rowNumber() {
      return place[0];
    }

    /** Whether the run has a column of its row. */
    public Pred has(I32 column) {
      return inside().and(column.lessThan(place[1]).not()).and(column.lessThan(place[1].plus(shape.vector())));
    }

    /** The value at a column that the run {@link #has}. */
    public F32 at(I32 column) {
      var values = values();
      var value = values.getFirst();
      for (int i = 1; i < values.size(); i++) {
        value = values.get(i).where(column.equalTo(place[1].plus(i)), value);
      }
      return value;
    }

    /** Stores a result at a column of the run's row in another matrix of the same shape. */
    public void store(GlobalTensor y, I32 column, F32 result) {
      y.at(place[0], column).store(result);
    }

    /** Stores results at the run's place in another matrix of the same shape. */
    public void store(GlobalTensor y, List<F32> results) {
      k.when(inside(), () -> y.at(place).store(results));
    }
  }

  /** An integer for each of a thread's rows. */
  public final class Integers {
    private final List<I32> numbers;

    private Integers(List<I32> numbers) {
      this.numbers = numbers;
    }

    /** The integer of a run's row. */
    public I32 of(Run run) {
      return numbers.get(run.row());
    }
  }

  /** Loads the integers that a vector (M) has for the thread's rows, 0 where there is no row. */
  public Integers integers(GlobalTensor vector) {
    var all = places.apply(k.constant(0));
    return new Integers(IntStream.range(0, shape.each()).mapToObj(row -> all.get(row * shape.accesses())[0])
        .map(row -> vector.at(row).vectorOrZeros(1, vector.contains(row)).integers().getFirst()).toList());
  }

  /** A tuple for each of a thread's rows. */
  public final class PerRow {
    private final List<List<F32>> tuples;

    private PerRow(List<List<F32>> tuples) {
      this.tuples = tuples;
    }

    /** The only number of a run's row. */
    public F32 only(Run run) {
      return of(run).getFirst();
    }

    /** The tuple of a run's row. */
    public List<F32> of(Run run) {
      return tuples.get(run.row());
    }

    /** Each row's tuple made into another. */
    public PerRow map(Function<List<F32>, List<F32>> change) {
      return new PerRow(tuples.stream().map(change).toList());
    }

    /** Each row's tuple followed by another's. */
    public PerRow and(PerRow other) {
      return new PerRow(IntStream.range(0, tuples.size())
          .mapToObj(i -> Stream.concat(tuples.get(i).stream(), other.tuples.get(i).stream()).toList()).toList());
    }

    /** Each row's only number made into another. */
    public PerRow mapOnly(UnaryOperator<F32> change) {
      return map(tuple -> List.of(change.apply(tuple.getFirst())));
    }

    /** Runs the body for each row's number and tuple, in one thread of the row, which need not have columns. */
    public void inLeaders(BiConsumer<I32, List<F32>> body) {
      var rows = x.covered(1);
      var all = places.apply(k.constant(0));
      for (int row = 0; row < shape.each(); row++) {
        var place = all.get(row * shape.accesses());
        var tuple = tuples.get(row);
        k.when(place[1].equalTo(0).and(rows.contains(place[0], k.constant(0))), () -> body.accept(place[0], tuple));
      }
    }
  }

  /**
   * Reduces every row to a tuple: each thread's runs step by step from the initial values, then across threads.
   *
   * @param merge commutative
   */
  public PerRow reduce(List<Float> initial, BiFunction<Run, List<F32>, List<F32>> step,
      BinaryOperator<List<F32>> merge) {
    var sums = IntStream.range(0, shape.each())
        .mapToObj(_ -> initial.stream().map(k::accumulator).toList()).toList();
    forEach(run -> {
      var mine = sums.get(run.row());
      var next = step.apply(run, values(mine));
      // All are computed before the first variable changes.
      next.forEach(F32::register);
      for (int i = 0; i < next.size(); i++) mine.get(i).set(next.get(i));
    });
    var all = across.reduce(sums.stream().flatMap(s -> values(s).stream()).toList(), (a, b) -> {
      var merged = new ArrayList<F32>();
      for (int i = 0; i < a.size(); i += initial.size()) {
        merged.addAll(merge.apply(a.subList(i, i + initial.size()), b.subList(i, i + initial.size())));
      }
      return merged;
    });
    return new PerRow(IntStream.range(0, shape.each())
        .mapToObj(row -> all.subList(row * initial.size(), (row + 1) * initial.size())).toList());
  }

  /** One tuple for every row. */
  public PerRow each(List<F32> tuple) {
    return new PerRow(Collections.nCopies(shape.each(), tuple));
  }

  /** Reduces every row to one number. */
  public PerRow reduce(float initial, BiFunction<Run, F32, F32> step, BinaryOperator<F32> merge) {
    return reduce(List.of(initial), (run, so) -> List.of(step.apply(run, so.getFirst())),
        (a, b) -> List.of(merge.apply(a.getFirst(), b.getFirst())));
  }

  private static List<F32> values(List<F32.Accumulator> accumulators) {
    return accumulators.stream().map(F32.Accumulator::value).toList();
  }

  /** Runs the body for each of this thread's runs; values that change from run to run are accumulators. */
  public void forEach(Consumer<Run> body) {
    if (shape.resident()) {
      var mine = places.apply(k.constant(0));
      for (int i = 0; i < mine.size(); i++) body.accept(new Run(i, mine.get(i), held.get(i)));
    } else {
      walk(body);
    }
  }

  /** Walks through the runs: as soon as one is done, the run a step behind it is loaded into its registers. */
  private void walk(Consumer<Run> body) {
    var first = places.apply(k.constant(0));
    var vectors = first.stream().map(place -> x.at(place).vectorOrZeros(shape.vector(), x.contains(place))).toList();
    var last = k.constant(shape.lastStep());
    k.loop(k.constant(0), last, shape.columns(), from -> {
      var next = places.apply(from.plus(shape.columns()));
      eachRun(places.apply(from), vectors, run -> {
        body.accept(run);
        var place = next.get(run.number);
        x.at(place).loadOrZerosInto(vectors.get(run.number), x.contains(place));
      });
    });
    eachRun(places.apply(last), vectors, body);
  }

  private void eachRun(List<I32[]> mine, List<Vector> vectors, Consumer<Run> body) {
    for (int i = 0; i < mine.size(); i++) {
      var vector = vectors.get(i);
      body.accept(new Run(i, mine.get(i), () -> vector));
    }
  }
}
