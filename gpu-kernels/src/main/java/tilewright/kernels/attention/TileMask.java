package tilewright.kernels.attention;

import java.util.List;
import java.util.Map;
import tilewright.kernel.CompiledKernel;
import tilewright.kernel.LaunchArguments;
import tilewright.kernel.PreparedLaunch;
import tilewright.kernel.Target;
import tilewright.ptx.Dim3;

/**
 * The lists of tiles of queries that gradients of a problem that {@linkplain AttentionProblem#skipping skips blocks}
 * need, in the tiles of one kernel: buffers of 32-bit integers. Blocks of packed sequences have a list for each slot.
 *
 * @param tileM queries of a tile
 * @param tileN keys of a block, of all CTAs that share it
 */
public record TileMask(AttentionProblem problem, int tileM, int tileN) {
  public TileMask {
    BlockMask.requireTiles(problem, tileM, tileN);
    if (problem.sizes().sharers() > TileList.MOST_SHARERS) {
      throw new IllegalArgumentException("lists of tiles of " + problem.sizes().sharers()
          + " heads that share keys: at most " + TileList.MOST_SHARERS);
    }
  }

  /** The buffers and their elements. */
  public Map<String, Long> elements() {
    return Map.of("tileCounts", lists(), "tileList", lists() * entries());
  }

  /** The launch that makes the lists. */
  public PreparedLaunch prepare() {
    var s = problem.sizes();
    var kernel = CompiledKernel.compile(new TileListKernel(problem.modification(), problem.band(),
        problem.packed().isPresent(), tileM, tileN), Target.SM80);
    var arguments = LaunchArguments.of(kernel);
    addTo(arguments);
    BlockMask.addModification(problem, arguments, "tileCounts");
    return new PreparedLaunch(kernel, new Dim3(Math.toIntExact(blocks()), s.keyHeads(), s.batch()), arguments.build());
  }

  /** Gives the lists to a launch. */
  public void addTo(LaunchArguments arguments) {
    long heads = problem.sizes().keyHeads();
    long batch = problem.sizes().batch();
    arguments.tensor("tileCounts", new LaunchArguments.Tensor("tileCounts", 0, List.of(blocks(), heads, batch),
        List.of(1L, blocks(), blocks() * heads)));
    arguments.tensor("tileList", new LaunchArguments.Tensor("tileList", 0, List.of(entries(), blocks(), heads, batch),
        List.of(1L, entries(), entries() * blocks(), entries() * blocks() * heads)));
  }

  private long lists() {
    return Math.max(1, blocks() * problem.sizes().keyHeads() * problem.sizes().batch());
  }

  /** Blocks of keys of a head, or their slots. */
  private long blocks() {
    return Math.max(1, problem.packed().isPresent() ? problem.slots(problem.sizes().keys(), tileN)
        : Math.ceilDiv(problem.sizes().keys(), tileN));
  }

  private long entries() {
    return Math.max(1, (long) Math.ceilDiv(problem.sizes().queries(), tileM) * problem.sizes().sharers());
  }
}
