package tilewright.kernels.catalogue;

import java.util.List;
import java.util.stream.Stream;
import tilewright.kernel.Element;
import tilewright.kernel.F32;
import tilewright.kernel.Pair;
import tilewright.kernel.Scope;
import tilewright.kernel.Vector;
import tilewright.numerics.ElementType;

/**
 * A thread's accumulators of a GEMM, row by row, with the form that elements have as factors: FP32 numbers, or f16
 * numbers in pairs of neighbours along n.
 *
 * @param <T> a factor
 */
abstract class ThreadSums<T> {
  final int columns;

  private ThreadSums(int columns) {
    this.columns = columns;
  }

  /** Accumulators of {@code rows} × {@code columns} elements. */
  static ThreadSums<?> of(Scope k, ElementType accumulator, int rows, int columns) {
    return accumulator == ElementType.F32 ? new Scalars(k, rows, columns) : new Pairs(k, accumulator, rows, columns);
  }

  /** The elements of A, each as a factor for all columns. */
  abstract List<T> ofRows(Vector a);

  /** The neighbours of B as factors. */
  abstract List<T> ofColumns(Vector b);

  abstract void add(int accumulator, T a, T b);

  /**
   * Stores neighbours.
   *
   * @param first the first element's number, rows after one another; {@code count} how many from there
   */
  abstract void store(Element to, int first, int count);

  /** Adds the products of all rows with all columns. */
  final void addAll(List<T> rows, List<T> factors) {
    // To the right in one row and to the left in the next: the operand at the turn is read only once.
    for (int i = 0; i < rows.size(); i++) {
      for (int j = 0; j < factors.size(); j++) {
        int column = i % 2 == 0 ? j : factors.size() - 1 - j;
        add(i * factors.size() + column, rows.get(i), factors.get(column));
      }
    }
  }

  private static final class Scalars extends ThreadSums<F32> {
    private final List<F32.Accumulator> sums;

    Scalars(Scope k, int rows, int columns) {
      super(columns);
      sums = Stream.generate(k::accumulator).limit((long) rows * columns).toList();
    }

    @Override
    List<F32> ofRows(Vector a) {
      return a.values();
    }

    @Override
    List<F32> ofColumns(Vector b) {
      return b.values();
    }

    @Override
    void add(int accumulator, F32 a, F32 b) {
      sums.get(accumulator).fma(a, b);
    }

    @Override
    void store(Element to, int first, int count) {
      to.store(sums.subList(first, first + count).stream().map(F32.Accumulator::value).toList());
    }
  }

  private static final class Pairs extends ThreadSums<Pair> {
    private final List<Pair.Accumulator> sums;

    Pairs(Scope k, ElementType type, int rows, int columns) {
      super(columns);
      sums = Stream.generate(() -> new Pair.Accumulator(k, type)).limit((long) rows * Math.ceilDiv(columns, 2))
          .toList();
    }

    @Override
    List<Pair> ofRows(Vector a) {
      return a.elements().stream().map(element -> element.pairs().getFirst()).toList();
    }

    @Override
    List<Pair> ofColumns(Vector b) {
      return b.pairs();
    }

    @Override
    void add(int accumulator, Pair a, Pair b) {
      sums.get(accumulator).fma(a, b);
    }

    @Override
    void store(Element to, int first, int count) {
      int pair = first / columns * Math.ceilDiv(columns, 2) + first % columns / 2;
      var results = Pair.join(sums.subList(pair, pair + Math.ceilDiv(count, 2)).stream()
          .map(Pair.Accumulator::value).toList());
      to.store(count == 1 ? results.elements().get(first % columns % 2) : results);
    }
  }
}
