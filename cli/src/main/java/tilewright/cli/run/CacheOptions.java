package tilewright.cli.run;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import picocli.CommandLine.Option;
import tilewright.cli.io.CommandFailure;
import tilewright.cli.tensor.IntegerVector;
import tilewright.kernels.attention.Attention;
import tilewright.kernels.attention.serving.KeySplits;

/** The options of {@code run attention} that say how keys lie in a cache, and how they are divided. */
final class CacheOptions {
  private static final String USED = "used";

  @Option(names = "--splits", paramLabel = "auto|N|N-keys",
      description = "Divide the keys into at most N ranges, or into ranges of N keys, whose results then depend on no "
          + "other sequence, and merge what CTAs make of them; needs sm90_attention (default: auto).")
  private Optional<String> splits;

  @Option(names = "--used", paramLabel = "FILE",
      description = "The number of keys of each batch entry (B i4, .npy); what is behind them in K and V does not "
          + "matter. Needs sm90_attention.")
  private Optional<Path> used;

  /** Changes the problem, and adds what it reads. */
  void apply(Attention attention, Map<String, MemorySegment> buffers, Arena arena) {
    splits.ifPresent(text -> attention.splits(KeySplits.parse(text)));
    used.ifPresent(path -> {
      var sizes = attention.problem().sizes();
      buffers.put(USED, lengths(path, sizes.batch(), sizes.keys(), arena));
      attention.keyLengths(USED);
    });
  }

  private static MemorySegment lengths(Path path, int batch, int most, Arena arena) {
    var lengths = IntegerVector.read(path, "the keys in use of each batch entry", arena);
    if (lengths.length != batch) {
      throw CommandFailure.badFile(path, "has " + lengths.length + " numbers: needed is one for each of " + batch
          + " batch entries");
    }
    for (int entry = 0; entry < batch; entry++) {
      if (lengths[entry] < 0 || lengths[entry] > most) {
        throw CommandFailure.badFile(path, "has " + lengths[entry] + " keys for batch entry " + entry
            + ": needed are 0 to " + most);
      }
    }
    return AttentionFileOptions.nonEmpty(arena.allocateFrom(ValueLayout.JAVA_INT, lengths), arena);
  }
}
