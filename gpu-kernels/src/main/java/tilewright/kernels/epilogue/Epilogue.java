package tilewright.kernels.epilogue;

import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.UnaryOperator;
import tilewright.kernels.E4m3Scale;
import tilewright.kernels.Pointwise;
import tilewright.numerics.ElementType;

/**
 * An epilogue visitor tree (CUTLASS): the expression of D(m,n) in the accumulator, other matrices and vectors, and
 * scalars. Arithmetic is in FP32.
 *
 * <p>The tree is data. {@link EpilogueTrace} makes a kernel's instructions of it, {@link EpilogueReference} numbers.
 * A term of a sum that is a product is fused with the addition, the right term first.
 */
public sealed interface Epilogue {

  /** The element of a product: one of several that share A, or the product 0 where there is one. */
  record Accumulator(int product) implements Epilogue {}

  /** A number that is fixed when the kernel is traced. */
  record Constant(float value) implements Epilogue {}

  /** A number that the launch gives. */
  record Scalar(String name) implements Epilogue {}

  /** The element of a matrix (M,N,L) at the same place. */
  record Source(String name, ElementType type) implements Epilogue {}

  /** The element of a vector (M,L) for this row. */
  record PerRow(String name, ElementType type) implements Epilogue {}

  /** The element of a vector (N,L) for this column. */
  record PerColumn(String name, ElementType type) implements Epilogue {}

  /** The element of a vector (L) for this entry of the batch, in FP32. */
  record PerBatch(String name) implements Epilogue {}

  /** Two values in one. */
  record Combined(Operation operation, Epilogue left, Epilogue right) implements Epilogue {
    boolean isProduct() {
      return operation == Operation.TIMES;
    }
  }

  /** A function of one value. */
  record Applied(Pointwise function, Epilogue x) implements Epilogue {
    public Applied {
      if (function.inputs().size() != 1) {
        throw new IllegalArgumentException(function.text() + " takes " + function.inputs().size()
            + " values, an epilogue applies functions of one");
      }
    }
  }

  /**
   * Rounded to a type, to nearest even.
   *
   * @param saturating whether what is beyond the largest number becomes that number; 8-bit types always do
   */
  record Converted(ElementType type, boolean saturating, Epilogue x) implements Epilogue {
    public Converted {
      saturating |= type.bits() == 8;
    }
  }

  /** Passed on, and stored in a matrix (M,N,L) as well, rounded like {@link Converted}. */
  record Stored(String name, ElementType type, Epilogue x) implements Epilogue {}

  /**
   * Passed on, and combined with others into FP32 numbers that begin as the reduction's {@link Reduction#identity}.
   *
   * @param name a vector (M,L) or (N,L), or (1)
   */
  record Reduced(String name, Reduction reduction, Along along, Epilogue x) implements Epilogue {}

  /**
   * The root of a tree whose D are e4m3 codes: each {@link #BLOCK} neighbours along n share an FP32 factor, as
   * {@link tilewright.kernels.gemm.BlockQuantizer} finds it. Element ≈ code · factor.
   *
   * @param factors a matrix (M,⌈N/128⌉,L)
   */
  record Quantized(String factors, Epilogue x) implements Epilogue {}

  /** Neighbours along n that share a factor. */
  int BLOCK = 128;

  /** How two values become one. */
  enum Operation { PLUS, TIMES, MAX, MIN }

  /** The modes of a reduction's results. */
  enum Along {
    /** One a row, over its columns. */
    ROWS,
    /** One a column, over its rows. */
    COLUMNS,
    /** One of the whole batch. */
    ALL;

    Along transposed() {
      return switch (this) {
        case ROWS -> COLUMNS;
        case COLUMNS -> ROWS;
        case ALL -> ALL;
      };
    }
  }

  /** The product's element. */
  static Epilogue accumulator() {
    return accumulator(0);
  }

  /** The element of one of several products that share A. */
  static Epilogue accumulator(int product) {
    return new Accumulator(product);
  }

  /** A number that is fixed when the kernel is traced. */
  static Epilogue constant(float value) {
    return new Constant(value);
  }

  /** A number that the launch gives. */
  static Epilogue scalar(String name) {
    return new Scalar(name);
  }

  /** The element of a matrix (M,N,L) at the same place. */
  static Epilogue source(String name, ElementType type) {
    return new Source(name, type);
  }

  /** The element of a vector (M,L) for this row. */
  static Epilogue rowBias(String name, ElementType type) {
    return new PerRow(name, type);
  }

  /** The element of a vector (N,L) for this column. */
  static Epilogue columnBias(String name, ElementType type) {
    return new PerColumn(name, type);
  }

  /** The element of a vector (L) for this entry of the batch, such as a factor that another kernel has found. */
  static Epilogue factor(String name) {
    return new PerBatch(name);
  }

  /** alpha · accumulator, rounded: what a product without an epilogue does. */
  static Epilogue scaled(ElementType output) {
    return accumulator().times(scalar("alpha")).convert(output);
  }

  /** alpha · accumulator + beta · C, rounded. */
  static Epilogue linearCombination(ElementType output) {
    return accumulator().times(scalar("alpha")).plus(source("C", output).times(scalar("beta"))).convert(output);
  }

  /** The sum; one rounding where either is a product. */
  default Epilogue plus(Epilogue other) {
    return new Combined(Operation.PLUS, this, other);
  }

  /** The product. */
  default Epilogue times(Epilogue other) {
    return new Combined(Operation.TIMES, this, other);
  }

  /** The larger; NaN where one is. */
  default Epilogue max(Epilogue other) {
    return new Combined(Operation.MAX, this, other);
  }

  /** The smaller; NaN where one is. */
  default Epilogue min(Epilogue other) {
    return new Combined(Operation.MIN, this, other);
  }

  /** @throws IllegalArgumentException if the function takes more than one value */
  default Epilogue apply(Pointwise function) {
    return new Applied(function, this);
  }

  /** Rounded to a type, to nearest even; 8-bit types saturate. */
  default Epilogue convert(ElementType type) {
    return new Converted(type, false, this);
  }

  /** Like {@link #convert}, with the largest number for what is beyond it. */
  default Epilogue saturate(ElementType type) {
    return new Converted(type, true, this);
  }

  /** Stored in a matrix (M,N,L) as well. */
  default Epilogue store(String name, ElementType type) {
    return new Stored(name, type, this);
  }

  /** Combined into FP32 numbers as well: (M,L), (N,L) or (1). */
  default Epilogue reduce(String name, Reduction reduction, Along along) {
    return new Reduced(name, reduction, along, this);
  }

  /** The largest magnitude of all values. */
  default Epilogue amax(String name) {
    return reduce(name, Reduction.AMAX, Along.ALL);
  }

  /** Quantised to e4m3 codes with a factor for each {@link #BLOCK} neighbours along n; the root of a tree. */
  default Epilogue quantize(String factors) {
    return new Quantized(factors, this);
  }

  /** This tree without the rounding at its root. */
  default Epilogue unrounded() {
    return this instanceof Converted(_, _, var x) ? x : this;
  }

  /** This tree with another one in place of each accumulator. */
  default Epilogue onProducts(UnaryOperator<Epilogue> product) {
    return switch (this) {
      case Accumulator accumulator -> product.apply(accumulator);
      case Constant _, Scalar _, Source _, PerRow _, PerColumn _, PerBatch _ -> this;
      case Combined(var operation, var left, var right) ->
          new Combined(operation, left.onProducts(product), right.onProducts(product));
      case Applied(var function, var x) -> new Applied(function, x.onProducts(product));
      case Converted(var type, boolean saturating, var x) -> new Converted(type, saturating, x.onProducts(product));
      case Stored(var name, var type, var x) -> new Stored(name, type, x.onProducts(product));
      case Reduced(var name, var reduction, var along, var x) ->
          new Reduced(name, reduction, along, x.onProducts(product));
      case Quantized(var factors, var x) -> new Quantized(factors, x.onProducts(product));
    };
  }

  /** The tree that computes Dᵀ from the transposed accumulators and the other matrices transposed. */
  default Epilogue transposed() {
    return switch (this) {
      case Accumulator _, Constant _, Scalar _, Source _, PerBatch _ -> this;
      case PerRow(var name, var type) -> new PerColumn(name, type);
      case PerColumn(var name, var type) -> new PerRow(name, type);
      case Combined(var operation, var left, var right) ->
          new Combined(operation, left.transposed(), right.transposed());
      case Applied(var function, var x) -> new Applied(function, x.transposed());
      case Converted(var type, boolean saturating, var x) -> new Converted(type, saturating, x.transposed());
      case Stored(var name, var type, var x) -> new Stored(name, type, x.transposed());
      case Reduced(var name, var reduction, var along, var x) ->
          new Reduced(name, reduction, along.transposed(), x.transposed());
      case Quantized(var factors, _) -> throw new IllegalArgumentException("neighbours along n that share one of "
          + factors + " are no rows of a transposed tile: take a tile that is not");
    };
  }

  /** The number of products that the tree takes. */
  default int products() {
    return nodes(Accumulator.class).stream().mapToInt(a -> a.product() + 1).max().orElse(1);
  }

  /** The type of D: what the root rounds to, else FP32. */
  default ElementType output() {
    return switch (this) {
      case Converted(var type, _, _) -> type;
      case Stored(_, _, var x) -> x.output();
      case Reduced(_, _, _, var x) -> x.output();
      case Quantized _ -> E4m3Scale.CODE;
      default -> ElementType.F32;
    };
  }

  /** The types of all matrices and vectors that are read, by name. */
  default Map<String, ElementType> inputs() {
    var types = new LinkedHashMap<String, ElementType>();
    nodes(Source.class).forEach(s -> types.put(s.name(), s.type()));
    nodes(PerRow.class).forEach(v -> types.put(v.name(), v.type()));
    nodes(PerColumn.class).forEach(v -> types.put(v.name(), v.type()));
    nodes(PerBatch.class).forEach(v -> types.put(v.name(), ElementType.F32));
    return types;
  }

  /** The types of all that is written beside D, by name. */
  default Map<String, ElementType> outputs() {
    var types = new LinkedHashMap<String, ElementType>();
    nodes(Stored.class).forEach(s -> types.put(s.name(), s.type()));
    nodes(Reduced.class).forEach(r -> types.put(r.name(), ElementType.F32));
    nodes(Quantized.class).forEach(q -> types.put(q.factors(), ElementType.F32));
    return types;
  }

  /** The node's operands. */
  default List<Epilogue> operands() {
    return switch (this) {
      case Accumulator _, Constant _, Scalar _, Source _, PerRow _, PerColumn _, PerBatch _ -> List.of();
      case Combined(_, var left, var right) -> List.of(left, right);
      case Applied(_, var x) -> List.of(x);
      case Converted(_, _, var x) -> List.of(x);
      case Stored(_, _, var x) -> List.of(x);
      case Reduced(_, _, _, var x) -> List.of(x);
      case Quantized(_, var x) -> List.of(x);
    };
  }

  /** All nodes of a kind, operands before what is made of them, each once. */
  default <T extends Epilogue> List<T> nodes(Class<T> kind) {
    var all = new LinkedHashSet<Epilogue>();
    collect(this, all);
    return all.stream().filter(kind::isInstance).map(kind::cast).toList();
  }

  private static void collect(Epilogue node, Set<Epilogue> all) {
    node.operands().forEach(operand -> collect(operand, all));
    all.add(node);
  }
}
