package tilewright.sm90;

import java.util.List;
import java.util.Locale;
import tilewright.async.TensorCopies;
import tilewright.async.collective.ClusterShape;
import tilewright.kernel.LaunchArguments;
import tilewright.kernel.PreparedLaunch;
import tilewright.kernels.GemmProblem;
import tilewright.kernels.epilogue.Epilogue;
import tilewright.kernels.epilogue.EpilogueArguments;

/**
 * The Hopper GEMM for groups of rows that each have a B of their own, as the experts of a mixture have.
 *
 * <p>{@link Grouping#CONTIGUOUS}: A (M, K) and C (M, N) hold the groups' rows one after the other, B is (N, K, groups),
 * and a buffer "groups" says for each {@link #ROWS} rows which group they are of, or a negative number: those are left
 * as they are. The B of a group that there is not is zeros. {@link Grouping#MASKED}: A, B and C have a batch entry for
 * each group, and a buffer "rows" says how many rows of each count, at most all; rows behind them are undefined.
 * {@link Grouping#RAGGED}: like contiguous groups, but a buffer "ends" says behind which row each ends; rows behind the
 * last end are left as they are.
 *
 * @param problem of one batch entry for each group if masked, else of one
 * @param epilogue whose vectors of columns, and factors, have an entry for each group
 */
public record GroupedGemm(GemmProblem problem, Grouping grouping, int groups, EpilogueArguments epilogue) {
  /** Rows that are of one group. */
  public static final int ROWS = 128;
  private static final int COLUMNS = 256;
  private static final int STAGES = 4;
  /** Columns for which threads have registers for more than the accumulators of a tile. */
  private static final int FEW_COLUMNS = 128;
  private static final int MANY_STAGES = 6;
  private static final int CONSUMERS = 2;
  private static final int BAND = 8;

  public GroupedGemm {
    int entries = grouping == Grouping.MASKED ? groups : 1;
    if (grouping == Grouping.BATCH || problem.batch() != entries) {
      throw new IllegalArgumentException("grouping " + grouping + " of " + groups + " groups with a batch of "
          + problem.batch() + ": ragged and contiguous groups have one batch entry, masked ones an entry each");
    }
    requireStored(epilogue.tree(), grouping);
  }

  /** Groups of rows with alpha and beta. */
  public GroupedGemm(GemmProblem problem, Grouping grouping, int groups) {
    this(problem, grouping, groups, EpilogueArguments.plain(problem));
  }

  /** Groups of rows with another epilogue, all of whose tensors are packed. */
  public static GroupedGemm packed(GemmProblem problem, Grouping grouping, int groups, Epilogue tree) {
    return new GroupedGemm(problem, grouping, groups, EpilogueArguments.packed(tree, problem, groups));
  }

  /** Tiles hold rows that are not of their group, or of none: what is made of those must not be stored. */
  private static void requireStored(Epilogue tree, Grouping grouping) {
    boolean ragged = grouping == Grouping.RAGGED;
    boolean second = !tree.nodes(Epilogue.Stored.class).isEmpty() || tree instanceof Epilogue.Quantized;
    boolean reduced = tree.nodes(Epilogue.Reduced.class).stream()
        .anyMatch(r -> ragged || grouping == Grouping.MASKED && r.along() != Epilogue.Along.ROWS);
    if (reduced || ragged && second) {
      throw new IllegalArgumentException("an epilogue of " + grouping.name().toLowerCase(Locale.ROOT) + " groups has "
          + (ragged ? "neither a second output nor reductions" : "no reductions over rows")
          + ", since tiles hold rows of no group: contiguous groups have them");
    }
  }

  /** Prepares tiles that fit every problem whose groups are not small. */
  public PreparedLaunch prepare() {
    if (!Sm90Gemms.isCopied(problem)) return prepare(Sm90Gemms.fetching(problem));
    boolean light = isLight();
    return prepare(Sm90Gemms.configure(problem, new ClusterShape(1, 1, 1), ROWS, light ? COLUMNS : FEW_COLUMNS,
        CONSUMERS, light ? STAGES : MANY_STAGES, BAND));
  }

  /** Whether the epilogue needs few registers: it reads or writes no second matrix, and vectors in pairs. */
  private boolean isLight() {
    var tree = epilogue.tree();
    boolean alone = tree.nodes(Epilogue.Source.class).isEmpty() && tree.nodes(Epilogue.Stored.class).isEmpty();
    return alone && (tree.equals(Epilogue.scaled(problem.output()))
        || epilogue.neighbours() > 1 && TensorCopies.storeAll(problem, epilogue));
  }

  /** Prepares a given configuration, whose tiles have {@link #ROWS} rows. */
  public PreparedLaunch prepare(Sm90GemmConfig config) {
    if (config.tileM() != ROWS) {
      throw new IllegalArgumentException("tiles of " + config.tileM() + " rows: those of a group come in " + ROWS);
    }
    return Sm90Gemms.prepare(problem, config, epilogue,
        new Sm90Gemms.Inputs(grouping, 1, this::groups));
  }

  private void groups(LaunchArguments arguments) {
    arguments.tensor("B", problem.b().argument(problem.n(), problem.k(), groups));
    switch (grouping) {
      case CONTIGUOUS -> arguments.tensor("groups", vector("groups", blocks()));
      case RAGGED -> arguments.tensor("ends", vector("ends", groups));
      default -> arguments.tensor("rows", vector("rows", groups));
    }
  }

  /** Blocks of rows that C has. */
  public int blocks() {
    return Math.ceilDiv(problem.m(), ROWS);
  }

  private static LaunchArguments.Tensor vector(String buffer, long count) {
    return new LaunchArguments.Tensor(buffer, 0, List.of(count), List.of(1L));
  }
}
