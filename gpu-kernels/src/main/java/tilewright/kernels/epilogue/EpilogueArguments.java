package tilewright.kernels.epilogue;

import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import tilewright.kernel.LaunchArguments;
import tilewright.kernel.Matrix;
import tilewright.kernels.GemmProblem;
import tilewright.numerics.ElementType;

/**
 * An epilogue and what a launch gives it.
 *
 * @param tensors by the names that the tree has for them
 * @param scalars likewise
 */
public record EpilogueArguments(Epilogue tree, Map<String, LaunchArguments.Tensor> tensors,
    Map<String, Float> scalars) {
  /** Factors that fill 16 bytes. */
  private static final int PADDED = 4;

  public EpilogueArguments {
    tensors = Map.copyOf(tensors);
    scalars = Map.copyOf(scalars);
  }

  /** alpha · A·Bᵀ, and beta · C where beta is not zero; C is read and written in place. */
  public static EpilogueArguments plain(GemmProblem problem) {
    return packed(problem.beta() == 0 ? Epilogue.scaled(problem.output())
        : Epilogue.linearCombination(problem.output()), problem);
  }

  /**
   * Every tensor packed in a buffer of its name, matrices row-major; one called C is the problem's own. Scalars alpha
   * and beta are the problem's.
   */
  public static EpilogueArguments packed(Epilogue tree, GemmProblem problem) {
    return packed(tree, problem, problem.batch());
  }

  /**
   * Packs them for a problem whose rows are of groups.
   *
   * @param entries matrices B, for each of which columns have their own vector
   */
  public static EpilogueArguments packed(Epilogue tree, GemmProblem problem, int entries) {
    long m = problem.m();
    long n = problem.n();
    long batch = problem.batch();
    var tensors = new LinkedHashMap<String, LaunchArguments.Tensor>();
    tree.nodes(Epilogue.Source.class).forEach(s -> tensors.put(s.name(), matrix(s.name(), problem)));
    tree.nodes(Epilogue.Stored.class).forEach(s -> tensors.put(s.name(), matrix(s.name(), problem)));
    tree.nodes(Epilogue.PerRow.class).forEach(v -> tensors.put(v.name(), vector(v.name(), m, batch)));
    tree.nodes(Epilogue.PerColumn.class).forEach(v -> tensors.put(v.name(), vector(v.name(), n, entries)));
    tree.nodes(Epilogue.PerBatch.class).forEach(v -> tensors.put(v.name(), entries(v.name(), entries)));
    for (var reduced : tree.nodes(Epilogue.Reduced.class)) {
      tensors.put(reduced.name(), switch (reduced.along()) {
        case ROWS -> vector(reduced.name(), m, batch);
        case COLUMNS -> vector(reduced.name(), n, batch);
        case ALL -> new LaunchArguments.Tensor(reduced.name(), 0, List.of(1L), List.of(1L));
      });
    }
    tree.nodes(Epilogue.Quantized.class).forEach(q -> tensors.put(q.factors(), factors(q.factors(), problem)));
    var scalars = new HashMap<String, Float>();
    for (var scalar : tree.nodes(Epilogue.Scalar.class)) {
      if (scalar.name().equals("alpha")) scalars.put("alpha", problem.alpha());
      if (scalar.name().equals("beta")) scalars.put("beta", problem.beta());
    }
    return new EpilogueArguments(tree, tensors, scalars);
  }

  private static LaunchArguments.Tensor matrix(String name, GemmProblem problem) {
    var packed = name.equals("C") ? problem.c() : Matrix.rowMajor(name, problem.m(), problem.n());
    return packed.argument(problem.m(), problem.n(), problem.batch());
  }

  /** Factors as products of codes take them: neighbouring rows side by side, columns at multiples of 16 bytes. */
  private static LaunchArguments.Tensor factors(String name, GemmProblem problem) {
    long blocks = Math.ceilDiv(problem.n(), Epilogue.BLOCK);
    long rows = Math.ceilDiv(problem.m(), PADDED) * (long) PADDED;
    return new LaunchArguments.Tensor(name, 0, List.of((long) problem.m(), blocks, (long) problem.batch()),
        List.of(1L, rows, rows * blocks));
  }

  private static LaunchArguments.Tensor vector(String name, long extent, long batch) {
    return new LaunchArguments.Tensor(name, 0, List.of(extent, batch), List.of(1L, extent));
  }

  private static LaunchArguments.Tensor entries(String name, long batch) {
    return new LaunchArguments.Tensor(name, 0, List.of(batch), List.of(1L));
  }

  /** The arguments for the transposed problem; vectors stay where they are. */
  public EpilogueArguments transposed() {
    var all = new HashMap<>(tensors);
    all.replaceAll((_, tensor) -> tensor.extents().size() < 3 ? tensor : new LaunchArguments.Tensor(tensor.buffer(),
        tensor.offset(), exchanged(tensor.extents()), exchanged(tensor.strides())));
    return new EpilogueArguments(tree.transposed(), all, scalars);
  }

  private static List<Long> exchanged(List<Long> modes) {
    return List.of(modes.get(1), modes.get(0), modes.get(2));
  }

  /**
   * Returns these arguments with every product multiplied by vectors (L) first, each packed in a buffer of its name.
   */
  public EpilogueArguments withFactors(int batch, String left, String right) {
    var factors = Epilogue.factor(left).times(Epilogue.factor(right));
    var all = new HashMap<>(tensors);
    for (var name : List.of(left, right)) all.put(name, entries(name, batch));
    return new EpilogueArguments(tree.onProducts(product -> product.times(factors)), all, scalars);
  }

  /** Returns these arguments with a tensor elsewhere than packed in its own buffer. */
  public EpilogueArguments with(String name, LaunchArguments.Tensor tensor) {
    var all = new HashMap<>(tensors);
    all.put(name, tensor);
    return new EpilogueArguments(tree, all, scalars);
  }

  /** Returns these arguments with a scalar's value. */
  public EpilogueArguments with(String name, float value) {
    var all = new HashMap<>(scalars);
    all.put(name, value);
    return new EpilogueArguments(tree, tensors, all);
  }

  /** Neighbours along n that can be read or written at once of all tensors: 2 where each pair is aligned, else 1. */
  public int neighbours() {
    boolean pairs = tree.nodes(Epilogue.Source.class).stream().allMatch(s -> isPaired(s.name(), 1, s.type()))
        && tree.nodes(Epilogue.Stored.class).stream().allMatch(s -> isPaired(s.name(), 1, s.type()))
        && tree.nodes(Epilogue.PerColumn.class).stream().allMatch(v -> isPaired(v.name(), 0, v.type()));
    return pairs ? 2 : 1;
  }

  private boolean isPaired(String name, int mode, ElementType type) {
    var tensor = tensors.get(name);
    long others = IntStream.range(0, tensor.strides().size()).filter(i -> i != mode && tensor.extents().get(i) > 1)
        .mapToLong(tensor.strides()::get).reduce(0, (a, b) -> a | b);
    return tensor.strides().get(mode) == 1 && tensor.extents().get(mode) % 2 == 0 && others % 2 == 0
        && tensor.offset() % (2L * type.bytes()) == 0;
  }

  /**
   * Requires that this makes what the problem stores.
   *
   * @throws IllegalArgumentException where the tree rounds to another type than C has, takes another product, or has
   *     more to do with sums that are stored as integers; or where it quantises them, which few kernels do
   */
  public void requireFor(GemmProblem problem) {
    if (!tree.nodes(Epilogue.Quantized.class).isEmpty()) {
      throw new IllegalArgumentException("this GEMM finds no factors of " + Epilogue.BLOCK
          + " neighbours: sm90_gemm does, or quantise C behind it");
    }
    requireFor(problem, 1);
  }

  /** Requires it of several products that share A, of which a kernel can make codes and their factors. */
  public void requireFor(GemmProblem problem, int products) {
    requireAlone();
    if (tree.products() != products) {
      throw new IllegalArgumentException("the epilogue takes " + tree.products() + " product(s), but the GEMM computes "
          + products);
    }
    boolean integers = problem.output() == ElementType.I32;
    if (integers && (!tree.equals(Epilogue.scaled(ElementType.I32)) || problem.alpha() != 1)) {
      throw new IllegalArgumentException("sums in i32 are stored as they are: alpha is 1, beta 0, and an epilogue that"
          + " does more needs another type of C");
    }
    if (tree.output() != problem.output() && tree.output() != ElementType.F32) {
      throw new IllegalArgumentException("the epilogue rounds to " + tree.output().text() + ", but C is of "
          + problem.output().text() + ": convert to " + problem.output().text());
    }
  }

  /** Codes are found from whole blocks, and stored with nothing that is wider. */
  private void requireAlone() {
    var quantized = tree.nodes(Epilogue.Quantized.class);
    if (quantized.isEmpty()) return;
    if (!quantized.equals(List.of(tree))) {
      throw new IllegalArgumentException("what is quantised has to be all that the epilogue makes: quantise at the"
          + " root");
    }
    if (tree.inputs().containsKey("C")) {
      throw new IllegalArgumentException("C becomes codes, which cannot be added to: leave beta at 0, or read another"
          + " matrix");
    }
    boolean wide = tree.nodes(Epilogue.Stored.class).stream().anyMatch(s -> s.type().bits() > Byte.SIZE);
    if (wide) {
      throw new IllegalArgumentException("an epilogue that quantises stores no second matrix of more than 8 bits: store"
          + " that by a GEMM of its own");
    }
  }

  /** Gives them to a launch. */
  public void bind(LaunchArguments arguments) {
    tensors.forEach(arguments::tensor);
    scalars.forEach(arguments::scalar);
  }
}
