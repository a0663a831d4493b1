package tilewright.kernels.epilogue;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.UnaryOperator;
import java.util.stream.IntStream;
import tilewright.kernel.Element;
import tilewright.kernel.F32;
import tilewright.kernel.GlobalTensor;
import tilewright.kernel.I32;
import tilewright.kernel.Partition;
import tilewright.kernel.Scope;
import tilewright.kernel.TensorSpec;
import tilewright.numerics.ElementType;

/** Matrices that threads read and write themselves, {@code neighbours} at a time. */
public final class DirectMatrices {
  private final Scope k;
  private final int neighbours;
  private final Map<String, GlobalTensor> tensors = new HashMap<>();

  private DirectMatrices(Scope k, int neighbours) {
    this.k = k;
    this.neighbours = neighbours;
  }

  /** Whether there are none. */
  public boolean isEmpty() {
    return tensors.isEmpty();
  }

  /** Returns these matrices without the rows from an end on, where there is one: other CTAs write those. */
  public DirectMatrices before(Optional<I32> end) {
    return end.map(last -> each(tensor -> tensor.part(0, k.constant(0), last))).orElse(this);
  }

  /**
   * Returns these matrices with addresses and bounds that are computed here, and addresses that are added up from each
   * other along n. Elsewhere each single element has registers for them while its tile is multiplied.
   *
   * @param step columns from one run of a thread's values to the next
   * @param width columns of a run
   */
  public DirectMatrices climbing(int step, int width) {
    return each(tensor -> tensor.settled().climbing(1, step, width));
  }

  private DirectMatrices each(UnaryOperator<GlobalTensor> change) {
    var changed = new DirectMatrices(k, neighbours);
    tensors.forEach((name, tensor) -> changed.tensors.put(name, change.apply(tensor)));
    return changed;
  }

  /**
   * Declares all sources of a tree.
   *
   * @param neighbours 2 where N is even and all matrices are row-major, or 1 for any extents and strides
   */
  public static DirectMatrices sources(Scope k, Epilogue tree, int neighbours) {
    return of(k, tree.nodes(Epilogue.Source.class), neighbours);
  }

  /** Declares these sources of a tree. */
  public static DirectMatrices of(Scope k, List<Epilogue.Source> sources, int neighbours) {
    var matrices = new DirectMatrices(k, neighbours);
    sources.forEach(s -> matrices.declare(s.name(), s.type()));
    return matrices;
  }

  /** Declares all sources and auxiliary outputs of a tree. */
  public static DirectMatrices of(Scope k, Epilogue tree, int neighbours) {
    var matrices = sources(k, tree, neighbours);
    tree.nodes(Epilogue.Stored.class).forEach(s -> matrices.declare(s.name(), s.type()));
    return matrices;
  }

  private void declare(String name, ElementType type) {
    tensors.put(name, k.global(spec(name, type, neighbours)));
  }

  /** The specification of a matrix, with {@code neighbours} along n in one access. */
  public static TensorSpec spec(String name, ElementType type, int neighbours) {
    var spec = TensorSpec.of(name, type, "M", "N", "L");
    return neighbours == 1 ? spec : spec.contiguous("N").aligned(neighbours).multipleOf("N", neighbours);
  }

  /** The access to a part of D. */
  public MatrixAccess at(Partition partition, I32 thread, EpilogueTrace.Place place) {
    return new MatrixAccess() {
      @Override
      public List<F32> load(Epilogue.Source source, int value, int count) {
        return elements(source.name(), value, count)
            .stream().flatMap(e -> e.vectorOrZeros(neighbours, e.inside()).valuesLater().stream()).toList();
      }

      @Override
      public void store(Epilogue.Stored stored, int value, List<F32> elements) {
        var places = elements(stored.name(), value, elements.size());
        for (int i = 0; i < places.size(); i++) {
          var place = places.get(i);
          var run = elements.subList(i * neighbours, (i + 1) * neighbours);
          run.forEach(F32::register);
          k.when(place.inside(), () -> place.store(run));
        }
      }

      private List<Element> elements(String name, int value, int count) {
        var tile = tensors.get(name).from(place.m(), place.n(), place.batch());
        return IntStream.iterate(0, i -> i < count, i -> i + neighbours).mapToObj(i -> {
          var at = partition.coordinate(thread, value + i);
          return tile.at(at[0], at[1], k.constant(0));
        }).toList();
      }
    };
  }
}
