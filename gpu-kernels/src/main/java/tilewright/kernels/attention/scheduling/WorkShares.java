package tilewright.kernels.attention.scheduling;

import java.util.List;
import java.util.Optional;
import tilewright.kernel.CompiledKernel;
import tilewright.kernel.LaunchArguments;
import tilewright.kernel.PreparedLaunch;
import tilewright.kernel.Target;
import tilewright.kernel.collective.attention.BalancedSplits;
import tilewright.kernels.attention.AttentionArguments;
import tilewright.kernels.attention.AttentionProblem;
import tilewright.kernels.attention.serving.KeySplits;
import tilewright.layout.Layout;
import tilewright.numerics.ElementType;
import tilewright.ptx.Dim3;

/**
 * The shares of a batch's keys that a launch is told of.
 *
 * @param buffer with the schedule
 * @param batch entries
 * @param tiles of an entry, each of which has a CTA for every worker or piece
 * @param workers that share the batch
 * @param kind of the workers
 */
public record WorkShares(String buffer, int batch, int tiles, int workers, Kind kind) {
  /** The kinds of workers. */
  public enum Kind {
    /** CTAs that all run at once. */
    PERSISTENT(1),
    /** Pieces that are CTAs of their own, several for each place on the GPU, which the GPU hands out. */
    PIECES(4);

    private final int waves;

    Kind(int waves) {
      this.waves = waves;
    }
  }

  private static final int MOST_COST = 1 << 29;
  /** The most rows, queries of all heads, that are balanced without being asked for: more fill a GPU by themselves. */
  private static final int MOST_ROWS = 256;

  /**
   * The shares of a problem whose splits are balanced, because it asks for that or leaves the choice to a kernel of
   * persistent workers: on entries whose lengths the launch reads, these are faster in balance.
   *
   * @param keys of a block
   * @param tiles of queries, of all heads and batch entries
   * @param resident tiles that a GPU works on at a time
   * @param kind of the kernel's workers
   * @throws IllegalArgumentException for a batch whose costs are no 32-bit integers
   */
  public static Optional<WorkShares> of(AttentionProblem p, int keys, long tiles, int resident, Kind kind) {
    return switch (p.serving().splits()) {
      case KeySplits.Balanced(var schedule) -> {
        if (hasTooManyBlocks(p, keys)) {
          throw new IllegalArgumentException("a batch of " + p.sizes().batch() + " entries of " + p.sizes().keys()
              + " keys has too many blocks to be balanced: give fewer entries at a time");
        }
        yield Optional.of(of(p, schedule.orElse(BalancedSplits.SCHEDULE), tiles, resident, kind));
      }
      case KeySplits.Automatic() when kind == Kind.PERSISTENT && isUneven(p) && !hasTooManyBlocks(p, keys) ->
          Optional.of(of(p, BalancedSplits.SCHEDULE, tiles, resident, kind));
      default -> Optional.empty();
    };
  }

  private static boolean hasTooManyBlocks(AttentionProblem p, int keys) {
    return p.sizes().batch() * (Math.ceilDiv((long) p.sizes().keys(), keys) + 1 + BalancedSplits.OVERHEAD) > MOST_COST;
  }

  /** Whether entries may have few queries on different numbers of keys. */
  private static boolean isUneven(AttentionProblem p) {
    var s = p.sizes();
    return p.serving().lengths().isPresent() && s.batch() > 1 && (long) s.queries() * s.sharers() <= MOST_ROWS;
  }

  private static WorkShares of(AttentionProblem p, String buffer, long tiles, int resident, Kind kind) {
    int batch = p.sizes().batch();
    int ofEntry = Math.toIntExact(tiles / Math.max(1, batch));
    return new WorkShares(buffer, batch, ofEntry, Math.max(1, kind.waves * resident / Math.max(1, ofEntry)), kind);
  }

  /** CTAs of a launch: for each tile of an entry those of all workers, or of the most pieces that they can have. */
  public Dim3 grid() {
    return Dim3.of(Math.max(1, tiles * (kind == Kind.PERSISTENT ? workers : workers + batch - 1)));
  }

  /** Gives the schedule to a launch. */
  public LaunchArguments addTo(LaunchArguments arguments) {
    return arguments.tensor(BalancedSplits.SCHEDULE, new LaunchArguments.Tensor(buffer, 0, List.of((long) integers()),
        List.of(1L)));
  }

  /** The 32-bit integers of the schedule. */
  private int integers() {
    return batch + BalancedSplits.BESIDES;
  }

  /** The buffer of the schedule. */
  public PreparedLaunch.Scratch scratch() {
    return new PreparedLaunch.Scratch(buffer, ElementType.I32, Layout.columnMajor(integers()));
  }

  /**
   * Prepares the launch that computes the schedule. It depends on nothing but lengths, padding, the band, the number of
   * queries and the keys of a block.
   */
  public PreparedLaunch schedule(AttentionProblem p, int keys, Target target) {
    var kernel = CompiledKernel.compile(new DecodeSchedule(p.band().traced(), keys, p.serving().lengths().isPresent(),
        p.serving().padding().isPresent()), target);
    var arguments = LaunchArguments.of(kernel).integer(DecodeSchedule.QUERIES, p.sizes().queries())
        .integer(DecodeSchedule.ROOM, p.sizes().keys())
        .integer(DecodeSchedule.WORKERS, workers);
    p.band().addTo(arguments);
    return new PreparedLaunch(kernel, Dim3.of(1), addTo(AttentionArguments.addKeys(p, arguments)).build());
  }
}
