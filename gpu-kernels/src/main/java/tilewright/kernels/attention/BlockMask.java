package tilewright.kernels.attention;

import java.util.List;
import tilewright.kernel.CompiledKernel;
import tilewright.kernel.LaunchArguments;
import tilewright.kernel.PreparedLaunch;
import tilewright.kernel.Target;
import tilewright.ptx.Dim3;

/**
 * The lists of blocks of keys that {@link AttentionProblem#skipping} needs: buffers blockCounts, partialBlocks and
 * fullBlocks of {@link #elements} 32-bit integers each, in the tiles of one kernel. Tiles of packed sequences have a
 * list for each slot (see {@link tilewright.kernel.collective.attention.PackedTiles}), as long as one sequence of all
 * keys would need.
 *
 * @param tileM queries of a tile
 * @param tileN keys of a block
 */
public record BlockMask(AttentionProblem problem, int tileM, int tileN) {
  /** The buffers, and the tensors in them. */
  public static final List<String> BUFFERS = List.of("blockCounts", "partialBlocks", "fullBlocks");

  private static final int KINDS = 2;

  public BlockMask {
    requireTiles(problem, tileM, tileN);
  }

  /** Refuses lists of blocks that are not made of tiles, or are too few. */
  public static void requireTiles(AttentionProblem problem, int tileM, int tileN) {
    if (!problem.modification().hidesBlocks() && problem.band().isAll()) {
      throw new IllegalArgumentException("a block mask needs a mask or a band");
    }
    problem.modification().blocks().ifPresent(given -> {
      if (given.queries() % tileM != 0 || given.keys() % tileN != 0) {
        throw new IllegalArgumentException("blocks of " + given.queries() + " queries and " + given.keys()
            + " keys are not made of tiles of " + tileM + " and " + tileN + ": give lists of multiples");
      }
      var s = problem.sizes();
      var packed = problem.packed();
      var needed = List.of((long) packed.map(AttentionProblem.Packed::sequences).orElse(s.batch()), (long) s.heads(),
          given.rows(packed.map(AttentionProblem.Packed::longest).orElse(s.queries())));
      if (!given.partial().counts().extents().equals(needed)
          || given.full().stream().anyMatch(full -> !full.counts().extents().equals(needed))) {
        throw new IllegalArgumentException("lists of blocks of (batch, heads, rows) "
            + given.partial().counts().extents() + " and "
            + given.full().map(full -> full.counts().extents().toString()).orElse("none")
            + ": this attention needs " + needed);
      }
    });
  }

  /** Gives a launch that evaluates a mask what that reads, and the sequences' lengths, with any buffer of integers. */
  static void addModification(AttentionProblem problem, LaunchArguments arguments, String buffer) {
    var s = problem.sizes();
    AttentionArguments.captureCheck(problem).require();
    problem.modification().addTo(arguments);
    AttentionArguments.addLengths(problem, arguments);
    arguments.tensor("lengths", new LaunchArguments.Tensor(buffer, 0,
        List.of((long) s.queries(), (long) s.keys(), (long) s.heads()), List.of(0L, 0L, 0L)));
  }

  /** Elements of each buffer. */
  public long elements() {
    return Math.max(KINDS, blocks()) * tiles() * problem.sizes().heads() * problem.sizes().batch();
  }

  /** The launch that makes the lists. */
  public PreparedLaunch prepare() {
    var s = problem.sizes();
    var kernel = CompiledKernel.compile(new BlockMaskKernel(problem.modification().traced(), problem.band(),
        problem.packed().isPresent(), tileM, tileN), Target.SM80);
    var arguments = LaunchArguments.of(kernel);
    addTo(arguments);
    addModification(problem, arguments, "blockCounts");
    return new PreparedLaunch(kernel, new Dim3(Math.toIntExact(tiles()), s.heads(), s.batch()), arguments.build());
  }

  /** Gives the lists to a launch. */
  public void addTo(LaunchArguments arguments) {
    for (var name : BUFFERS) arguments.tensor(name, list(name));
  }

  private LaunchArguments.Tensor list(String name) {
    long entries = name.equals("blockCounts") ? KINDS : blocks();
    long heads = problem.sizes().heads();
    return new LaunchArguments.Tensor(name, 0, List.of(entries, tiles(), heads, (long) problem.sizes().batch()),
        List.of(1L, entries, entries * tiles(), entries * tiles() * heads));
  }

  /** Tiles of queries of a head, or their slots. */
  long tiles() {
    return Math.max(1, problem.packed().isPresent() ? problem.slots(problem.sizes().queries(), tileM)
        : Math.ceilDiv(problem.sizes().queries(), tileM));
  }

  long blocks() {
    return Math.max(1, Math.ceilDiv(problem.sizes().keys(), tileN));
  }
}
