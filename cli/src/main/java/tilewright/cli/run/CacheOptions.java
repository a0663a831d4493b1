package tilewright.cli.run;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import picocli.CommandLine.Option;
import tilewright.cli.io.CommandFailure;
import tilewright.cli.tensor.TensorFile;
import tilewright.kernels.attention.Attention;
import tilewright.kernels.attention.serving.KeySplits;
import tilewright.numerics.ElementType;

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
      var lengths = integers(path, List.of((long) sizes.batch()), sizes.keys(), "keys", arena);
      buffers.put(USED, lengths);
      attention.keyLengths(USED);
    });
  }

  /** Integers of a file from 0 to {@code most}. */
  private static MemorySegment integers(Path path, List<Long> shape, int most, String what, Arena arena) {
    var file = TensorFile.read(path.toString(), arena);
    if (file.type() != ElementType.I32 || !file.shape().equals(shape)) {
      throw CommandFailure.badFile(path, "has " + AttentionFileOptions.text(file.shape()) + " elements of "
          + file.type().text() + "; needed are " + AttentionFileOptions.text(shape) + " of i4");
    }
    var data = file.data();
    for (long at = 0; at < data.byteSize(); at += Integer.BYTES) {
      int number = data.get(ValueLayout.JAVA_INT_UNALIGNED, at);
      if (number < 0 || number > most) {
        throw CommandFailure.badFile(path, "has " + number + " as its number " + at / Integer.BYTES + " of " + what
            + ": 0 to " + most);
      }
    }
    return AttentionFileOptions.nonEmpty(data, arena);
  }
}
