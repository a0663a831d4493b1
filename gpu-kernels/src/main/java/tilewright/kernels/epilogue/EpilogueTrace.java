package tilewright.kernels.epilogue;

import java.util.Collections;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.BiFunction;
import java.util.stream.IntStream;
import tilewright.kernel.Element;
import tilewright.kernel.F32;
import tilewright.kernel.GlobalTensor;
import tilewright.kernel.I32;
import tilewright.kernel.Partition;
import tilewright.kernel.Scope;
import tilewright.kernel.TensorSpec;
import tilewright.kernel.TraceException;
import tilewright.numerics.ElementType;
import tilewright.numerics.Rounding;

/**
 * An epilogue in a kernel: declares the tree's scalars, vectors and reductions as parameters, and makes instructions of
 * it for the values that a thread has. Matrices are the architecture's own affair.
 */
public final class EpilogueTrace {
  private static final String BATCH = "L";

  private final Scope k;
  private final Epilogue root;
  private final boolean narrow;
  private final Map<String, F32> scalars = new HashMap<>();
  private final Map<String, GlobalTensor> vectors = new HashMap<>();

  private EpilogueTrace(Scope k, Epilogue root) {
    this.k = k;
    this.root = root;
    this.narrow = root.output().bits() <= 16 && root.nodes(Epilogue.Reduced.class).isEmpty()
        && root.nodes(Epilogue.Stored.class).stream().allMatch(s -> s.type().bits() <= 16);
  }

  /**
   * Declares the tree's scalars, vectors and reductions.
   *
   * @param neighbours along n that are read of a vector at once: 2 where N is even, else 1
   */
  public static EpilogueTrace of(Scope k, Epilogue root, int neighbours) {
    return of(k, root, neighbours, BATCH);
  }

  /**
   * Declares them for a D whose rows are of groups with a matrix B each.
   *
   * @param entries the name of the extent that counts matrices B, for each of which columns have their own vector
   */
  public static EpilogueTrace of(Scope k, Epilogue root, int neighbours, String entries) {
    var trace = new EpilogueTrace(k, root);
    root.nodes(Epilogue.Scalar.class).forEach(s -> trace.scalars.put(s.name(), k.scalar(s.name())));
    root.nodes(Epilogue.PerRow.class).forEach(v -> trace.vector(v.name(), v.type(), "M", BATCH, 1));
    root.nodes(Epilogue.PerColumn.class).forEach(v -> trace.vector(v.name(), v.type(), "N", entries,
        neighbours));
    root.nodes(Epilogue.PerBatch.class).forEach(v -> trace.vectors.put(v.name(),
        k.global(TensorSpec.of(v.name(), ElementType.F32, entries))));
    root.nodes(Epilogue.Quantized.class).forEach(q -> trace.vectors.put(q.factors(),
        k.global(TensorSpec.of(q.factors(), ElementType.F32, "M", "NB", BATCH))));
    for (var reduced : root.nodes(Epilogue.Reduced.class)) {
      switch (reduced.along()) {
        case ROWS -> trace.vector(reduced.name(), ElementType.F32, "M", BATCH, 1);
        case COLUMNS -> trace.vector(reduced.name(), ElementType.F32, "N", BATCH, 1);
        case ALL -> trace.vectors.put(reduced.name(), k.global(TensorSpec.of(reduced.name(), ElementType.F32, "ONE")
            .fixed("ONE", 1)));
      }
    }
    return trace;
  }

  private void vector(String name, ElementType type, String mode, String entries, int neighbours) {
    var spec = TensorSpec.of(name, type, mode, entries).contiguous(mode).aligned(neighbours);
    vectors.put(name, k.global(neighbours > 1 ? spec.multipleOf(mode, neighbours) : spec));
  }

  /**
   * The place of a part of D.
   *
   * @param m the first row; likewise n
   * @param entry the matrix B that made it, which is the batch entry's own unless rows are of groups
   * @param extentM D's rows; likewise extentN
   */
  public record Place(I32 m, I32 n, I32 batch, I32 entry, I32 extentM, I32 extentN) {
    /** A place in a D whose batch entries have a matrix B each. */
    public Place(I32 m, I32 n, I32 batch, I32 extentM, I32 extentN) {
      this(m, n, batch, batch, extentM, extentN);
    }

    /** The place with coordinates in registers of their own: what depends on them is computed here. */
    public Place settled() {
      return new Place(m.settled(), n.settled(), batch.settled(), entry.settled(), extentM, extentN);
    }
  }

  /** Begins with a part of D that threads share by a partition (rows, columns). */
  public Tile tile(Partition partition, I32 thread, Place place, MatrixAccess matrices) {
    return new Tile(partition, thread, place, matrices);
  }

  /** A part of D, value by value; what is the same for a row or a column is read once. */
  public final class Tile {
    private final Partition partition;
    private final I32 thread;
    private final Place place;
    private final MatrixAccess matrices;
    private final Map<Shared, List<F32>> read = new HashMap<>();
    private final Map<Shared, F32> running = new HashMap<>();

    /** The key of a term that the values of a row or of a column share. */
    private record Shared(Epilogue node, long row, long column) {}

    private Tile(Partition partition, I32 thread, Place place, MatrixAccess matrices) {
      this.partition = partition;
      this.thread = thread;
      this.place = place;
      this.matrices = matrices;
    }

    /**
     * D's elements from the accumulators of so many neighbours along n, still to be rounded to D's type.
     *
     * @param first the number of the first value in the partition
     */
    public List<F32> values(int first, List<F32> accumulators) {
      return ofProducts(first, List.of(accumulators));
    }

    /** D's elements from the accumulators of several products. */
    public List<F32> ofProducts(int first, List<List<F32>> accumulators) {
      if (root instanceof Epilogue.Quantized(_, var x)) return new Evaluation(first, accumulators).of(x);
      var body = root instanceof Epilogue.Converted(var type, boolean saturating, var x)
          ? saturating && type.bits() > 8 ? clamped(x, type) : x : root;
      return new Evaluation(first, accumulators).of(body);
    }

    /** Whether D's elements are codes, which {@link #codes} makes of what {@link #ofProducts} yields. */
    public boolean isQuantized() {
      return root instanceof Epilogue.Quantized;
    }

    /**
     * Quantises the values of whole blocks of columns, and stores their factors.
     *
     * @param first the number of the first value, which is in the first column of a block
     */
    public List<F32> codes(int first, List<F32> values) {
      var factors = vectors.get(((Epilogue.Quantized) root).factors());
      return new BlockCodes(k, factors, partition, thread, place).of(first, values);
    }

    /** Reads what a run of values will need, two neighbours at a time, ahead of them. */
    public void prefetch(int first, int count) {
      prefetchVectors(first, count);
      prefetchSources(first, count);
    }

    /** Loads the elements of vectors for these values ahead of their use. */
    public void prefetchVectors(int first, int count) {
      for (int value = first; value < first + count; value += 2) {
        for (var vector : root.nodes(Epilogue.PerRow.class)) row(vector, value);
        for (var vector : root.nodes(Epilogue.PerColumn.class)) column(vector, value, 2);
      }
      root.nodes(Epilogue.PerBatch.class).forEach(this::entry);
    }

    /** Loads the elements of matrices for these values ahead of their use. */
    public void prefetchSources(int first, int count) {
      for (int value = first; value < first + count; value += 2) {
        for (var source : root.nodes(Epilogue.Source.class)) element(source, value, 2);
      }
    }

    private List<F32> element(Epilogue.Source source, int value, int count) {
      return read.computeIfAbsent(new Shared(source, row(value), column(value)),
          _ -> matrices.load(source, value, count));
    }

    private long row(int value) {
      return partition.layout().mode(1).apply(value) % partition.tile().getFirst();
    }

    private long column(int value) {
      return partition.layout().mode(1).apply(value) / partition.tile().getFirst();
    }

    private List<F32> row(Epilogue.PerRow vector, int value) {
      return read.computeIfAbsent(new Shared(vector, row(value), 0), _ -> {
        var element = vectors.get(vector.name()).at(place.m().plus(partition.coordinate(thread, value)[0]),
            place.batch());
        return element.vectorOrZeros(1, element.inside()).values();
      });
    }

    private List<F32> column(Epilogue.PerColumn vector, int value, int count) {
      return read.computeIfAbsent(new Shared(vector, 0, column(value)), _ -> {
        var tensor = vectors.get(vector.name());
        int step = tensor.spec().alignment();
        var n = place.n().plus(partition.coordinate(thread, value)[1]);
        return IntStream.iterate(0, i -> i < count, i -> i + step).mapToObj(i -> tensor.at(n.plus(i), place.entry()))
            .flatMap(e -> e.vectorOrZeros(step, e.inside()).valuesLater().stream()).toList();
      });
    }

    private List<F32> entry(Epilogue.PerBatch factor) {
      return read.computeIfAbsent(new Shared(factor, 0, 0),
          _ -> List.of(vectors.get(factor.name()).at(place.entry()).load()));
    }

    /** Combines what was reduced so far of every column with the results; those columns do not come again. */
    public void finishColumns() {
      finish(Epilogue.Along.COLUMNS);
    }

    /** Combines all that was reduced with the results. */
    public void finish() {
      for (var along : Epilogue.Along.values()) finish(along);
    }

    private void finish(Epilogue.Along along) {
      // The order of the tree and of the values, so that the same kernel is always the same text.
      for (var reduced : root.nodes(Epilogue.Reduced.class)) {
        if (reduced.along() != along) continue;
        var lanes = LaneReduction.of(partition, along);
        running.keySet().stream().filter(key -> key.node().equals(reduced)).sorted(
            Comparator.comparingLong(Shared::row).thenComparingLong(Shared::column)).toList()
            .forEach(key -> lanes.into(k, thread, result(reduced, key), reduced.reduction(), running.remove(key)));
      }
    }

    private Element result(Epilogue.Reduced reduced, Shared key) {
      var tensor = vectors.get(reduced.name());
      var lane = partition.coordinate(thread, 0);
      return switch (reduced.along()) {
        case ROWS -> tensor.at(place.m().plus(lane[0]).plus((int) (key.row() - row(0))), place.batch());
        case COLUMNS -> tensor.at(place.n().plus(lane[1]).plus((int) (key.column() - column(0))), place.batch());
        case ALL -> tensor.at(k.constant(0));
      };
    }

    /** The tree on neighbours. */
    private final class Evaluation {
      private final int first;
      private final List<List<F32>> accumulators;
      private final int count;
      private final Map<Epilogue, List<F32>> known = new HashMap<>();

      Evaluation(int first, List<List<F32>> accumulators) {
        this.first = first;
        this.accumulators = accumulators;
        this.count = accumulators.getFirst().size();
      }

      List<F32> of(Epilogue node) {
        var values = known.get(node);
        if (values == null) {
          values = evaluate(node);
          known.put(node, values);
        }
        return values;
      }

      private List<F32> evaluate(Epilogue node) {
        return switch (node) {
          case Epilogue.Accumulator(int product) -> accumulators.get(product);
          case Epilogue.Constant(float value) -> same(k.constant(value));
          case Epilogue.Scalar(var name) -> same(scalars.get(name));
          case Epilogue.Source source -> element(source, first, count);
          case Epilogue.PerRow vector -> same(row(vector, first).getFirst());
          case Epilogue.PerColumn vector -> column(vector, first, count);
          case Epilogue.PerBatch factor -> same(entry(factor).getFirst());
          case Epilogue.Combined combined -> combine(combined);
          case Epilogue.Applied(var f, var x) -> of(x).stream().map(narrow ? f::narrow : f::of).toList();
          case Epilogue.Converted(var type, boolean saturating, var x) ->
              of(saturating && type.bits() > 8 ? clamped(x, type) : x).stream().map(v -> v.roundedTo(type)).toList();
          case Epilogue.Stored stored -> {
            matrices.store(stored, first, of(stored.x()));
            yield of(stored.x());
          }
          case Epilogue.Reduced reduced -> {
            reduce(reduced, of(reduced.x()));
            yield of(reduced.x());
          }
          case Epilogue.Quantized quantized -> throw new TraceException(quantized + " is no root");
        };
      }

      private List<F32> same(F32 value) {
        return Collections.nCopies(count, value);
      }

      private List<F32> combine(Epilogue.Combined node) {
        var left = node.left();
        var right = node.right();
        if (node.operation() == Epilogue.Operation.PLUS) {
          if (right instanceof Epilogue.Combined product && product.isProduct()) return fused(product, left);
          if (left instanceof Epilogue.Combined product && product.isProduct()) return fused(product, right);
        }
        return each((i, a) -> switch (node.operation()) {
          case PLUS -> a.get(0).get(i).plus(a.get(1).get(i));
          case TIMES -> a.get(0).get(i).times(a.get(1).get(i));
          case MAX -> a.get(0).get(i).max(a.get(1).get(i));
          case MIN -> a.get(0).get(i).min(a.get(1).get(i));
        }, of(left), of(right));
      }

      private List<F32> fused(Epilogue.Combined product, Epilogue addend) {
        return each((i, a) -> a.get(0).get(i).fma(a.get(1).get(i), a.get(2).get(i)), of(product.left()),
            of(product.right()), of(addend));
      }

      @SafeVarargs
      private List<F32> each(BiFunction<Integer, List<List<F32>>, F32> f, List<F32>... operands) {
        return IntStream.range(0, count).mapToObj(i -> f.apply(i, List.of(operands))).toList();
      }

      private void reduce(Epilogue.Reduced node, List<F32> values) {
        var reduction = node.reduction();
        for (int i = 0; i < values.size(); i++) {
          var at = partition.coordinate(thread, first + i);
          var inside = place.m().plus(at[0]).lessThan(place.extentM())
              .and(place.n().plus(at[1]).lessThan(place.extentN()));
          var value = reduction.prepare(values.get(i)).where(inside, k.constant(reduction.identity()));
          var key = switch (node.along()) {
            case ROWS -> new Shared(node, row(first + i), 0);
            case COLUMNS -> new Shared(node, 0, column(first + i));
            case ALL -> new Shared(node, 0, 0);
          };
          running.merge(key, value, reduction::combine);
        }
      }
    }
  }

  /** Bounded by the largest numbers of a type. */
  private static Epilogue clamped(Epilogue x, ElementType type) {
    float largest = (float) type.toDouble(type.fromDouble(Float.MAX_VALUE, Rounding.TOWARD_ZERO));
    return x.min(Epilogue.constant(largest)).max(Epilogue.constant(-largest));
  }
}
