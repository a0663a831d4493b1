package tilewright.kernels.attention;

import java.util.List;
import java.util.Map;
import tilewright.kernel.CompiledKernel;
import tilewright.kernel.LaunchArguments;
import tilewright.kernel.PreparedLaunch;
import tilewright.kernel.Target;
import tilewright.kernel.collective.attention.BlockContents;
import tilewright.ptx.Dim3;

/**
 * The lists of tiles of queries that gradients of a problem that {@linkplain AttentionProblem#skipping skips blocks}
 * need, in the tiles of one kernel: buffers of 32-bit integers. Blocks of packed sequences have a list for each slot.
 *
 * @param tileM queries of a tile
 * @param tileN keys of a block, of all CTAs that share it
 * @param ordered whether blocks add to a tile in the order of their launch, so that each needs to know its turn
 */
public record TileMask(AttentionProblem problem, int tileM, int tileN, boolean ordered) {
  public TileMask {
    BlockMask.requireTiles(problem, tileM, tileN);
    if (problem.sizes().sharers() > TileList.MOST_SHARERS) {
      throw new IllegalArgumentException("lists of tiles of " + problem.sizes().sharers()
          + " heads that share keys: at most " + TileList.MOST_SHARERS);
    }
  }

  /** Lists of tiles to which blocks add in any order. */
  public TileMask(AttentionProblem problem, int tileM, int tileN) {
    this(problem, tileM, tileN, false);
  }

  /** The buffers and their elements. */
  public Map<String, Long> elements() {
    long all = lists() * entries();
    return ordered ? Map.of("tileCounts", lists(), "tileList", all, "tileTurns", all)
        : Map.of("tileCounts", lists(), "tileList", all);
  }

  /** The launches that make the lists, one after the other. */
  public List<PreparedLaunch> launches() {
    return ordered ? List.of(prepare(), prepareTurns()) : List.of(prepare());
  }

  private PreparedLaunch prepareTurns() {
    var s = problem.sizes();
    // The order in which kernels of gradients launch blocks; DeterministicOrder says why.
    boolean descends = problem.band().right().isPresent();
    var kernel = CompiledKernel.compile(new TileTurnsKernel(problem.packed().isPresent(), tileM, tileN, descends),
        Target.SM80);
    var arguments = LaunchArguments.of(kernel);
    addTo(arguments);
    BlockMask.addModification(problem, arguments, "tileCounts");
    int sequences = problem.packed().map(AttentionProblem.Packed::sequences).orElse(s.batch());
    return new PreparedLaunch(kernel, new Dim3(Math.toIntExact(Math.ceilDiv(entries(), BlockContents.THREADS)),
        Math.max(1, s.keyHeads()), Math.max(1, sequences)), arguments.build());
  }

  /** The launch that lists the tiles. */
  public PreparedLaunch prepare() {
    var s = problem.sizes();
    var kernel = CompiledKernel.compile(new TileListKernel(problem.modification().traced(), problem.band(),
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
    for (var name : ordered ? List.of("tileList", "tileTurns") : List.of("tileList")) {
      arguments.tensor(name, new LaunchArguments.Tensor(name, 0, List.of(entries(), blocks(), heads, batch),
          List.of(1L, entries(), entries() * blocks(), entries() * blocks() * heads)));
    }
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
