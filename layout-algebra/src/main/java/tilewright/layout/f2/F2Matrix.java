package tilewright.layout.f2;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.OptionalLong;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import tilewright.layout.decision.Decision;
import tilewright.layout.decision.TableCertificate;

/**
 * A linear map of bits over F2, of the kind that Triton calls a linear layout: bit j of the input contributes column j
 * to the output, by XOR.
 *
 * @param rows the number of output bits, at most 63
 * @param columns the images of the input bits 1, 2, 4, …, at most 63 of them, each below 2^rows
 */
public record F2Matrix(int rows, List<Long> columns) {
  public F2Matrix {
    columns = List.copyOf(columns);
    if (rows < 0 || rows > 63 || columns.size() > 63) {
      throw new IllegalArgumentException("a matrix has at most 63 rows and columns: got " + rows + " and "
          + columns.size());
    }
    for (long column : columns) {
      if (column < 0 || bitLength(column) > rows) {
        throw new IllegalArgumentException("column " + column + " is not below 2^" + rows);
      }
    }
  }

  /** A matrix of these columns, with as many rows as they need. */
  public static F2Matrix of(long... columns) {
    return of(LongStream.of(columns).boxed().toList());
  }

  public static F2Matrix of(List<Long> columns) {
    return new F2Matrix(bitLength(columns.stream().reduce(0L, (a, b) -> a | b)), columns);
  }

  public static F2Matrix identity(int size) {
    return new F2Matrix(size, IntStream.range(0, size).mapToObj(i -> 1L << i).toList());
  }

  public static int bitLength(long value) {
    return 64 - Long.numberOfLeadingZeros(value);
  }

  /** @throws IllegalArgumentException when {@code x} has bits without a column */
  public long apply(long x) {
    if (bitLength(x) > columns.size()) {
      throw new IllegalArgumentException(x + " is not below 2^" + columns.size() + ", the domain of " + this);
    }
    long y = 0;
    for (long rest = x; rest != 0; rest &= rest - 1) y ^= columns.get(Long.numberOfTrailingZeros(rest));
    return y;
  }

  /** this ∘ inner; inner has no more rows than this has columns. */
  public F2Matrix times(F2Matrix inner) {
    if (inner.rows > columns.size()) {
      throw new IllegalArgumentException(inner.rows + " rows of the right operand meet " + columns.size() + " columns");
    }
    return new F2Matrix(rows, inner.columns.stream().map(this::apply).toList());
  }

  public F2Matrix transpose() {
    var transposed = new ArrayList<Long>();
    for (int r = 0; r < rows; r++) {
      long column = 0;
      for (int c = 0; c < columns.size(); c++) column |= (columns.get(c) >> r & 1) << c;
      transposed.add(column);
    }
    return new F2Matrix(columns.size(), transposed);
  }

  public int rank() {
    return new Elimination(columns).rank();
  }

  /** Inputs that make up, by XOR, all inputs that map to 0. */
  public List<Long> kernel() {
    return new Elimination(columns).kernel();
  }

  /** Outputs that make up, by XOR, all outputs; each with its own highest bit, ascending. */
  public List<Long> image() {
    return new Elimination(columns).image();
  }

  public boolean isInjective() {
    return rank() == columns.size();
  }

  public boolean isSurjective() {
    return rank() == rows;
  }

  /** Some x with this(x) = y. */
  public OptionalLong solve(long y) {
    return new Elimination(columns).solve(y);
  }

  public Decision<F2Matrix> tryInverse() {
    var operation = "inverse of " + this;
    if (rows != columns.size()) {
      return Decision.Undefined.of(operation, "there are as many rows as columns", rows + " ≠ " + columns.size());
    }
    var kernel = kernel();
    if (!kernel.isEmpty()) {
      return Decision.Undefined.of(operation, "only 0 maps to 0", kernel.getFirst() + " maps to 0");
    }
    var inverse = pseudoInverse();
    var certificate = new TableCertificate("inverse(matrix(2^i)) = 2^i", columns.size(),
        i -> inverse.apply(apply(1L << i)), i -> 1L << i);
    return new Decision.Defined<>(inverse, certificate);
  }

  /** G with this ∘ G ∘ this = this and G ∘ this ∘ G = G; an inverse on the side where there is one. */
  public F2Matrix pseudoInverse() {
    var elimination = new Elimination(columns);
    return new F2Matrix(columns.size(),
        IntStream.range(0, rows).mapToObj(r -> elimination.combination(1L << r)).toList());
  }

  @Override
  public String toString() {
    return columns + " over F2";
  }

  /** Columns reduced so that each has its own highest bit, and how each came about. */
  private static final class Elimination {
    private final long[] pivots = new long[63];
    private final long[] sources = new long[63];
    private final List<Long> kernel = new ArrayList<>();

    Elimination(List<Long> columns) {
      for (int c = 0; c < columns.size(); c++) {
        long value = columns.get(c);
        long source = 1L << c | combination(value);
        value = residue(value);
        if (value == 0) {
          kernel.add(source);
        } else {
          int top = bitLength(value) - 1;
          pivots[top] = value;
          sources[top] = source;
        }
      }
    }

    int rank() {
      return image().size();
    }

    List<Long> kernel() {
      return kernel;
    }

    List<Long> image() {
      return Arrays.stream(pivots).filter(p -> p != 0).boxed().toList();
    }

    OptionalLong solve(long y) {
      return residue(y) == 0 ? OptionalLong.of(combination(y)) : OptionalLong.empty();
    }

    /** The inputs whose image takes all pivot bits of {@code y} away. */
    long combination(long y) {
      return reduced(y, true);
    }

    private long residue(long y) {
      return reduced(y, false);
    }

    private long reduced(long y, boolean combination) {
      long sum = 0;
      for (int bit = pivots.length - 1; bit >= 0; bit--) {
        if ((y >> bit & 1) == 0 || pivots[bit] == 0) continue;
        y ^= pivots[bit];
        sum ^= sources[bit];
      }
      return combination ? sum : y;
    }
  }
}
