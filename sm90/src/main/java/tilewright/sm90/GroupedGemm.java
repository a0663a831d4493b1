package tilewright.sm90;

import java.util.List;
import tilewright.async.collective.ClusterShape;
import tilewright.kernel.LaunchArguments;
import tilewright.kernel.PreparedLaunch;
import tilewright.kernels.GemmProblem;
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
 */
public record GroupedGemm(GemmProblem problem, Grouping grouping, int groups) {
  /** Rows that are of one group. */
  public static final int ROWS = 128;
  private static final int COLUMNS = 256;
  private static final int STAGES = 4;
  private static final int CONSUMERS = 2;
  private static final int BAND = 8;

  public GroupedGemm {
    int entries = grouping == Grouping.MASKED ? groups : 1;
    if (grouping == Grouping.BATCH || problem.batch() != entries) {
      throw new IllegalArgumentException("grouping " + grouping + " of " + groups + " groups with a batch of "
          + problem.batch() + ": ragged and contiguous groups have one batch entry, masked ones an entry each");
    }
  }

  /** Prepares tiles that fit every problem whose groups are not small. */
  public PreparedLaunch prepare() {
    if (!Sm90Gemms.isCopied(problem)) return prepare(Sm90Gemms.fetching(problem));
    return prepare(Sm90Gemms.configure(problem, new ClusterShape(1, 1, 1), ROWS, COLUMNS, CONSUMERS, STAGES, BAND));
  }

  /** Prepares a given configuration, whose tiles have {@link #ROWS} rows. */
  public PreparedLaunch prepare(Sm90GemmConfig config) {
    if (config.tileM() != ROWS) {
      throw new IllegalArgumentException("tiles of " + config.tileM() + " rows: those of a group come in " + ROWS);
    }
    return Sm90Gemms.prepare(problem, config, EpilogueArguments.plain(problem),
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
