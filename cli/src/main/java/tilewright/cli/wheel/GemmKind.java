package tilewright.cli.wheel;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.random.RandomGenerator;
import tilewright.kernel.LaunchArguments.Tensor;
import tilewright.kernel.Matrix;
import tilewright.kernels.GemmProblem;
import tilewright.kernels.GemmTypes;
import tilewright.kernels.epilogue.EpilogueArguments;

/**
 * Problems of the same types, orders and epilogue: C (L,M,N) = epilogue(A (L,M,K) · B (L,N,K)ᵀ). Operands lie along k
 * or across, C by rows; all rows, or columns, begin at multiples of 16 bytes, and end there. Numbers are the extents,
 * and of each matrix the stride from row to row, or column to column, such as {@code A_s}, and from entry to entry,
 * {@code A_l}. Factors of blocks have SA_s from block to block, and SB_r and SB_c from row to row and column to column.
 *
 * @param batched whether there are problems with L that is not 1
 */
record GemmKind(GemmTypes types, String order, GemmEpilogue epilogue, boolean batched) {
  private static final int ALIGNED_BYTES = 16;
  private static final int MOST_ROWS = 1 << 14;
  private static final int MOST_COLUMNS = 1 << 15;
  private static final int MOST_BATCH = 64;
  /** The number of problems of which one has matrices that are parts of wider ones. */
  private static final int SELDOM = 4;
  private static final int MOST_GAP = 512;
  private static final int BLOCK = 128;

  /** Names of the numbers that launches are made of. */
  List<String> extents() {
    return batched ? List.of("M", "N", "K", "L") : List.of("M", "N", "K");
  }

  /** Elements of 16 bytes of the narrowest matrix. */
  private int vector() {
    return ALIGNED_BYTES / Math.min(types.a().bytes(), types.output().bytes());
  }

  /** Draws the numbers of a problem. */
  Map<String, Long> draw(RandomGenerator random) {
    long rows = length(random, MOST_ROWS);
    long columns = length(random, MOST_COLUMNS / vector());
    return draw(rows, vector() * columns, batched && random.nextBoolean() ? 2L + random.nextInt(MOST_BATCH) : 1L,
        random);
  }

  /** Draws the other numbers of a problem with these extents. */
  Map<String, Long> draw(long rows, long columns, long batch, RandomGenerator random) {
    var n = new HashMap<String, Long>();
    n.put("M", alongRows() ? rows : vector() * Math.ceilDiv(rows, vector()));
    n.put("N", vector() * Math.ceilDiv(columns, vector()));
    // Strides of tensor maps along a single block of factors are not walked, and others are in their place.
    n.put("K", (epilogue == GemmEpilogue.BLOCK ? BLOCK : 0) + vector() * length(random, MOST_COLUMNS / vector()));
    n.put("L", batch);
    boolean isPart = random.nextInt(SELDOM) == 0;
    put(n, "A", n.get(alongRows() ? "M" : "K"), n.get(alongRows() ? "K" : "M"), isPart, random);
    put(n, "B", n.get(alongColumns() ? "N" : "K"), n.get(alongColumns() ? "K" : "N"), isPart, random);
    put(n, "C", n.get("M"), n.get("N"), isPart, random);
    if (epilogue == GemmEpilogue.RESIDUAL) put(n, "R", n.get("M"), n.get("N"), isPart, random);
    if (epilogue == GemmEpilogue.BLOCK) {
      n.put("SA_s", Math.ceilDiv(n.get("M"), 4) * 4 + 4L * random.nextInt(MOST_GAP));
      n.put("SB_r", Math.ceilDiv(n.get("K"), BLOCK) + random.nextInt(MOST_GAP));
      n.put("SB_c", 1L + random.nextInt(MOST_GAP));
    }
    return n;
  }

  private boolean alongRows() {
    return order.charAt(0) == 'T';
  }

  private boolean alongColumns() {
    return order.charAt(1) == 'N';
  }

  /** A length that is as likely to be of one power of two as of another. */
  private static long length(RandomGenerator random, long most) {
    return Math.round(Math.exp(random.nextDouble() * Math.log(most)));
  }

  private void put(Map<String, Long> n, String name, long rows, long columns, boolean isPart, RandomGenerator random) {
    long stride = columns + (isPart ? (long) vector() * random.nextInt(MOST_GAP) : 0);
    n.put(name + "_s", stride);
    n.put(name + "_l", stride * rows + (isPart ? (long) vector() * random.nextInt(MOST_GAP) : 0));
  }

  /** The problem of these numbers. */
  GemmProblem problem(Map<String, Long> n) {
    return new GemmProblem(types, number(n, "M"), number(n, "N"), number(n, "K"), number(n, "L"),
        matrix(n, "A", alongRows()), matrix(n, "B", alongColumns()), matrix(n, "C", true), 1, 0);
  }

  private static Matrix matrix(Map<String, Long> n, String name, boolean byRows) {
    long stride = n.get(name + "_s");
    return byRows ? new Matrix(name, 0, stride, 1, n.get(name + "_l"))
        : new Matrix(name, 0, 1, stride, n.get(name + "_l"));
  }

  /** A's factors of blocks, neighbouring rows side by side. */
  static Matrix factorsOfA(Map<String, Long> n) {
    return new Matrix("SA", 0, 1, n.get("SA_s"), n.get("SA_s") * Math.ceilDiv(n.get("K"), BLOCK));
  }

  /** B's factors of blocks. */
  static Matrix factorsOfB(Map<String, Long> n) {
    return new Matrix("SB", 0, n.get("SB_r"), n.get("SB_c"), 0);
  }

  /** The epilogue of these numbers; all entries of a batch have one bias. */
  EpilogueArguments arguments(Map<String, Long> n) {
    var problem = problem(n);
    var arguments = EpilogueArguments.packed(epilogue.tree(types.output()), problem).with("beta", 1);
    if (epilogue == GemmEpilogue.RESIDUAL) {
      arguments = arguments.with("R", matrix(n, "R", true).argument(problem.m(), problem.n(), problem.batch()));
    }
    if (!arguments.tensors().containsKey("bias")) return arguments;
    return arguments.with("bias", new Tensor("bias", 0, List.of((long) problem.n(), (long) problem.batch()),
        List.of(1L, 0L)));
  }

  private static int number(Map<String, Long> n, String name) {
    return Math.toIntExact(n.get(name));
  }
}
