package tilewright.cli.run;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Map;
import java.util.Optional;
import picocli.CommandLine.Option;
import tilewright.cli.io.CommandFailure;
import tilewright.cli.tensor.IntegerVector;
import tilewright.kernels.attention.Attention;
import tilewright.kernels.attention.AttentionProblem.Sizes;
import tilewright.kernels.attention.serving.KeySplits;
import tilewright.numerics.ElementType;

/** The options of {@code run attention} that say how keys lie in a cache, and how they are divided. */
final class CacheOptions {
  private static final String USED = "used";
  private static final String PADDING = "leftPadding";

  @Option(names = "--splits", paramLabel = "auto|balanced|N|N-keys",
      description = "Divide the keys into at most N ranges, or into ranges of N keys, whose results then depend on no "
          + "other sequence, and merge what CTAs make of them; needs sm90_attention, "
          + "sm80_decode_attention or with --latent any kernel. balanced gives CTAs equal shares of all sequences; "
          + "needs sm80_decode_attention or --latent (default: auto).")
  private Optional<String> splits;

  @Option(names = "--used", paramLabel = "FILE",
      description = "The number of keys of each batch entry (B i4, .npy); what is behind them in K and V does not "
          + "matter. Needs sm90_attention, sm80_decode_attention or --latent.")
  private Optional<Path> used;

  @Option(names = "--left-padding", paramLabel = "FILE",
      description = "The number of rows before the first key of each batch entry (B i4, .npy), which --used counts and "
          + "which do not matter either. Needs sm90_attention, sm80_decode_attention or sm80_mla_decode.")
  private Optional<Path> padding;

  @Option(names = "--kv-dtype", paramLabel = "e4m3",
      description = "K and V are codes of e4m3 beside a Q of 16 bits: F8_E4M3, or u1 or V1 in .npy. --descale-k and "
          + "--descale-v have their factors. Needs sm80_decode_attention.")
  private Optional<String> codes;

  /** The type of codes that K and V have beside a Q of numbers, if they have. */
  Optional<ElementType> codes() {
    return codes.map(name -> GemmFileOptions.type("--kv-dtype", name, ElementType.E4M3));
  }

  /** Changes the problem, and adds what it reads. */
  void apply(Attention attention, Map<String, MemorySegment> buffers, Arena arena) {
    splits.ifPresent(text -> attention.splits(KeySplits.parse(text)));
    var sizes = attention.problem().sizes();
    var lengths = used.map(path -> read(path, "the keys in use", allKeys(sizes), "keys", arena))
        .orElseGet(() -> allKeys(sizes));
    if (used.isPresent() || padding.isPresent()) {
      buffers.put(USED, buffer(lengths, arena));
      attention.keyLengths(USED);
    }
    padding.ifPresent(path -> {
      buffers.put(PADDING, buffer(read(path, "the rows before the first key", lengths, "rows", arena), arena));
      attention.leftPadding(PADDING);
    });
  }

  private static int[] allKeys(Sizes sizes) {
    var keys = new int[sizes.batch()];
    Arrays.fill(keys, sizes.keys());
    return keys;
  }

  /** Reads a number for each batch entry, of which each has a most. */
  private static int[] read(Path path, String meaning, int[] most, String what, Arena arena) {
    var numbers = IntegerVector.read(path, meaning + " of each batch entry", arena);
    if (numbers.length != most.length) {
      throw CommandFailure.badFile(path, "has " + numbers.length + " numbers: needed is one for each of " + most.length
          + " batch entries");
    }
    for (int entry = 0; entry < most.length; entry++) {
      if (numbers[entry] < 0 || numbers[entry] > most[entry]) {
        throw CommandFailure.badFile(path, "has " + numbers[entry] + " " + what + " for batch entry " + entry
            + ": needed are 0 to " + most[entry]);
      }
    }
    return numbers;
  }

  private static MemorySegment buffer(int[] numbers, Arena arena) {
    return AttentionFileOptions.nonEmpty(arena.allocateFrom(ValueLayout.JAVA_INT, numbers), arena);
  }
}
