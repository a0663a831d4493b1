package tilewright.kernel.tiled;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.stream.IntStream;
import tilewright.kernel.TraceException;
import tilewright.layout.Layout;

/**
 * The accumulators of one GEMM as operand A of the next, where each thread has the rows that it needs but other
 * columns. The columns are then renamed: A and B of the next GEMM go through k in another {@link #order}, which leaves
 * their product as it is ("layout conformance"; Bikshandi and Shah, A Case Study in CUDA Kernel Fusion, 2023).
 *
 * @param values value of A → number of the thread's accumulator
 * @param order k of A → column of the accumulators
 */
public record LayoutConformance(Layout values, Layout order) {

  /**
   * Derives both from the thread–value layouts of a tile, column-major in its rows.
   *
   * @param held of the accumulators; {@code needed} of A, of the same tile
   * @throws TraceException where a thread has other rows of A than of the accumulators
   */
  public static LayoutConformance of(Layout held, Layout needed, int rows, int columns) {
    var has = Ownership.of(held, rows, columns);
    var needs = Ownership.of(needed, rows, columns);
    var conformance = new LayoutConformance(has.numbers.composition(needs.numbers.rightInverse()),
        has.columns.composition(needs.columns.rightInverse()).coalesce());
    conformance.require(held, needed, rows);
    return conformance;
  }

  /**
   * The elements of a tile that threads have, by columns and rows.
   *
   * @param numbers (values of ascending column, values of ascending row) → number of the value
   * @param columns (threads that differ in their columns, values that do) → column
   */
  private record Ownership(Layout numbers, Layout columns) {
    static Ownership of(Layout threadValue, int rows, int width) {
      var column = Layout.of(Layout.of(rows, 0), Layout.of(width, 1));
      var ofThreads = column.composition(threadValue.mode(0)).flatten();
      var ofValues = column.composition(threadValue.mode(1)).flatten();
      var along = new ArrayList<Layout>();
      var across = new ArrayList<Layout>();
      var columns = new ArrayList<Layout>();
      var numbers = Layout.columnMajor(ofValues.flatShape());
      // A leaf without columns of its own counts rows.
      IntStream.range(0, ofValues.rank()).boxed().sorted(Comparator.comparing(leaf -> ofValues.flatStride()[leaf]))
          .forEach(leaf -> {
            boolean moves = ofValues.flatStride()[leaf] != 0;
            (moves ? along : across).add(numbers.mode(leaf));
            if (moves) columns.add(ofValues.mode(leaf));
          });
      return new Ownership(Layout.of(Layout.of(along), Layout.of(across)),
          Layout.of(ofThreads.filter(), Layout.of(columns)));
    }
  }

  private void require(Layout held, Layout needed, int rows) {
    for (int thread = 0; thread < needed.mode(0).size(); thread++) {
      for (int value = 0; value < values.size(); value++) {
        long has = held.mode(0).apply(thread) + held.mode(1).apply(values.apply(value));
        long needs = needed.mode(0).apply(thread) + needed.mode(1).apply(value);
        if (has % rows != needs % rows || has / rows != order.apply(needs / rows)) {
          throw new TraceException("accumulators " + held + " are no operand A " + needed + " of the same thread: "
              + "value " + value + " of thread " + thread + " is row " + needs % rows + ", k = " + needs / rows
              + ", but it has row " + has % rows + ", column " + has / rows);
        }
      }
    }
  }

  /**
   * Checks that operand B has its rows in the {@link #order} of A.
   *
   * @param ofB k of operand B → column of the accumulators
   * @throws TraceException naming the first k that is another column in A than in B
   */
  public void requireOrder(Layout ofB) {
    for (int k = 0; k < order.size(); k++) {
      if (order.apply(k) != ofB.apply(k)) {
        throw new TraceException("k = " + k + " is column " + order.apply(k) + " of the accumulators in operand A, "
            + ofB.apply(k) + " in operand B: rows of B in the order " + order + " fit, not " + ofB);
      }
    }
  }
}
