package tilewright.cli.run;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import picocli.CommandLine.Option;
import tilewright.cli.io.CommandFailure;
import tilewright.cli.io.Console;
import tilewright.cli.launch.Backend;
import tilewright.kernels.attention.Attention;
import tilewright.kernels.attention.AttentionProblem;
import tilewright.kernels.attention.AttentionProblem.Sizes;
import tilewright.kernels.attention.BlockMask;
import tilewright.kernels.attention.BlockPicture;
import tilewright.numerics.ElementType;

/** The options of {@code run attention} that change scores and hide keys. */
final class ModificationOptions {
  /** Blocks of a picture along a side, or fewer. */
  private static final int PICTURE = 64;
  /** Positions up to which the simulator evaluates all pairs in seconds. */
  private static final int LONGEST_PICTURE = 4096;
  private static final int ALIGNMENT = 256;

  @Option(names = "--mod", paramLabel = "NAME[:VALUES]",
      description = "A function of each score: alibi, alibi:SLOPES.npy, bias:BIAS.npy, "
          + "relative:TABLE.npy[,BUCKETS.npy], softcap:X or softcap-approximate:X. Several apply one after the other.")
  private List<String> mods = List.of();

  @Option(names = "--mask", paramLabel = "NAME[:VALUES]",
      description = "The keys that queries see: causal, prefix:N or prefix:PREFIXES.npy, window:N, chunked:N, "
          + "document:IDS.npy, dilated:WINDOW,STEP, global:N, natten2d:W,H,KW,KH, natten3d:W,H,D,KW,KH,KD, "
          + "tree:ANCESTORS.npy,CONTEXT or transfusion:SPANS.npy. A|B shows what A or B shows, !A what A hides; of "
          + "several options all must show a key. Positions count from the first key.")
  private List<String> masks = List.of();

  @Option(names = "--skip-blocks", description = "First list the blocks of keys that --mask, --causal or --window "
      + "show, then skip the others.")
  private boolean skips;

  @Option(names = "--show-mask", description = "Print which blocks of keys the first head's queries see.")
  private boolean show;

  /** Changes the attention, and adds what the functions read. */
  void apply(Attention attention, Map<String, MemorySegment> buffers, Arena arena) {
    Function<List<String>, ModArguments> arguments = words -> new ModArguments(words, attention, buffers, arena);
    for (var mod : mods) attention.score(NamedMods.score(mod, arguments));
    for (var mask : masks) attention.mask(NamedMods.mask(mask, arguments));
    if (show && masks.isEmpty()) throw CommandFailure.badInput("--show-mask needs a mask: give --mask");
    if (!skips) return;
    if (masks.isEmpty() && attention.problem().band().isAll()) {
      throw CommandFailure.badInput("--skip-blocks needs hidden keys: give --mask, --causal or --window");
    }
    attention.skippingBlocks();
  }

  /** Prints the picture of the mask, if it is asked for. */
  void show(AttentionProblem problem, Map<String, MemorySegment> buffers, Console console, Arena arena) {
    if (!show) return;
    var s = problem.sizes();
    int longest = Math.max(s.queries(), s.keys());
    if (longest > LONGEST_PICTURE || problem.packed().isPresent()) {
      throw CommandFailure.badInput("--show-mask draws up to " + LONGEST_PICTURE + " queries and keys of one length");
    }
    int tile = Math.max(1, Math.ceilDiv(longest, PICTURE));
    var first = AttentionProblem.dense(ElementType.BF16, Sizes.of(1, s.queries(), s.keys(), 1, s.headDim()))
        .with(problem.band()).with(problem.modification());
    var mask = new BlockMask(first, tile, tile);
    var all = new HashMap<>(buffers);
    for (var name : BlockMask.BUFFERS) {
      all.put(name, arena.allocate(mask.elements() * Integer.BYTES, ALIGNMENT));
    }
    Backend.SIM.run(mask.prepare().on(all), console);
    console.text(BlockPicture.of(mask, all, 0, 0));
    console.text("· none, ▒ some, █ all of a block of " + tile + " × " + tile + " pairs");
  }
}
