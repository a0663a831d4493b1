package tilewright.cli.wheel;

import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.random.RandomGenerator;
import java.util.stream.Stream;
import tilewright.kernel.LaunchArguments.Tensor;
import tilewright.kernel.LaunchSequence;
import tilewright.kernel.Matrix;
import tilewright.kernels.GemmProblem;
import tilewright.kernels.GemmTypes;
import tilewright.kernels.epilogue.EpilogueArguments;
import tilewright.kernels.epilogue.StandardEpilogue;
import tilewright.numerics.ElementType;
import tilewright.sm90.Sm90Gemms;

/**
 * D (L,M,N) = epilogue(alpha · A (L,M,K) · B (L,N,K)ᵀ) on Hopper's tensor cores. Operands lie along k or across, D by
 * rows; all rows, or columns, begin at multiples of 16 bytes, and end there. Numbers are the extents, and of each
 * matrix the stride from row to row, or column to column, such as {@code A_s}, and from entry to entry, {@code A_l}.
 */
final class GemmOperator implements PackagedOperator {
  private static final int HOPPER = 90;
  /** Elements of 16 bytes. */
  private static final int VECTOR = 8;
  private static final int MOST_ROWS = 1 << 14;
  private static final int MOST_COLUMNS = 1 << 15;
  private static final int MOST_BATCH = 64;
  /** The number of problems of which one has matrices that are parts of wider ones. */
  private static final int SELDOM = 4;
  private static final int MOST_GAP = 512;
  private static final List<String> ORDERS = List.of("TN", "TT", "NT", "NN");
  private static final List<StandardEpilogue> EPILOGUES = List.of(StandardEpilogue.PLAIN, StandardEpilogue.BIAS,
      StandardEpilogue.BIAS_RELU, StandardEpilogue.BIAS_GELU, StandardEpilogue.BIAS_GELU_TANH,
      StandardEpilogue.BIAS_SILU);

  @Override
  public String name() {
    return "gemm";
  }

  @Override
  public Stream<OperatorCase> cases(int capability) {
    if (capability != HOPPER) return Stream.of();
    return Stream.of(ElementType.BF16, ElementType.F16).flatMap(type -> ORDERS.stream().flatMap(order ->
        EPILOGUES.stream().filter(epilogue -> isPackaged(type, order, epilogue))
            .map(epilogue -> new Kind(type, order, epilogue).toCase())));
  }

  /** Activations are for BF16, and vectors for operands along K, to keep the package small. */
  private static boolean isPackaged(ElementType type, String order, StandardEpilogue epilogue) {
    return epilogue == StandardEpilogue.PLAIN
        || order.equals("TN") && (type == ElementType.BF16 || epilogue == StandardEpilogue.BIAS);
  }

  /** Problems of the same types, orders and epilogue. */
  private record Kind(ElementType type, String order, StandardEpilogue epilogue) implements OperatorCase.Problem {
    OperatorCase toCase() {
      var like = problem(draw(Map.of(), RandomGenerator.of("L64X128MixRandom")));
      var tiles = Sm90Gemms.choices(like, arguments(like)).stream()
          .map(tile -> new OperatorCase.Candidate(tile.tile(), tile.microseconds(), tile.form(), tile.blocks(),
              numbers -> prepare(numbers, tile.tile()))).toList();
      return new OperatorCase(type.text() + "-" + order.toLowerCase(Locale.ROOT) + "-" + epilogue.text(), List.of(),
          List.of("M", "N", "K", "L"), List.of(), List.of(), this, tiles);
    }

    @Override
    public Map<String, Long> draw(Map<String, Long> axes, RandomGenerator random) {
      var n = new HashMap<String, Long>();
      boolean byRowsA = order.charAt(0) == 'T';
      boolean byRowsB = order.charAt(1) == 'N';
      long rows = length(random, MOST_ROWS);
      n.put("M", byRowsA ? rows : VECTOR * Math.ceilDiv(rows, VECTOR));
      n.put("N", VECTOR * length(random, MOST_COLUMNS / VECTOR));
      n.put("K", VECTOR * length(random, MOST_COLUMNS / VECTOR));
      n.put("L", random.nextBoolean() ? 2L + random.nextInt(MOST_BATCH) : 1L);
      boolean isPart = random.nextInt(SELDOM) == 0;
      put(n, "A", n.get(byRowsA ? "M" : "K"), n.get(byRowsA ? "K" : "M"), isPart, random);
      put(n, "B", n.get(byRowsB ? "N" : "K"), n.get(byRowsB ? "K" : "N"), isPart, random);
      put(n, "C", n.get("M"), n.get("N"), isPart, random);
      return n;
    }

    /** A length that is as likely to be of one power of two as of another. */
    private static long length(RandomGenerator random, long most) {
      return Math.round(Math.exp(random.nextDouble() * Math.log(most)));
    }

    private static void put(Map<String, Long> n, String name, long rows, long columns, boolean isPart,
        RandomGenerator random) {
      long stride = columns + (isPart ? (long) VECTOR * random.nextInt(MOST_GAP) : 0);
      n.put(name + "_s", stride);
      n.put(name + "_l", stride * rows + (isPart ? (long) VECTOR * random.nextInt(MOST_GAP) : 0));
    }

    @Override
    public LaunchSequence prepare(Map<String, Long> numbers) {
      var problem = problem(numbers);
      return LaunchSequence.of(Sm90Gemms.prepare(problem, arguments(problem)));
    }

    private LaunchSequence prepare(Map<String, Long> numbers, String tile) {
      var problem = problem(numbers);
      return LaunchSequence.of(Sm90Gemms.prepare(problem, Sm90Gemms.configure(problem, tile), arguments(problem)));
    }

    private GemmProblem problem(Map<String, Long> n) {
      return new GemmProblem(GemmTypes.of(type, type), number(n, "M"), number(n, "N"), number(n, "K"), number(n, "L"),
          matrix(n, "A", order.charAt(0) == 'T'), matrix(n, "B", order.charAt(1) == 'N'), matrix(n, "C", true), 1, 0);
    }

    private static Matrix matrix(Map<String, Long> n, String name, boolean byRows) {
      long stride = n.get(name + "_s");
      return byRows ? new Matrix(name, 0, stride, 1, n.get(name + "_l"))
          : new Matrix(name, 0, 1, stride, n.get(name + "_l"));
    }

    /** All entries of a batch have one bias. */
    private EpilogueArguments arguments(GemmProblem problem) {
      var arguments = EpilogueArguments.packed(epilogue.tree(type), problem);
      if (!arguments.tensors().containsKey("bias")) return arguments;
      return arguments.with("bias", new Tensor("bias", 0, List.of((long) problem.n(), (long) problem.batch()),
          List.of(1L, 0L)));
    }

    private static int number(Map<String, Long> n, String name) {
      return Math.toIntExact(n.get(name));
    }
  }
}
