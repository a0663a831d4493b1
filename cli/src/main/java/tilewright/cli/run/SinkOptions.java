package tilewright.cli.run;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import picocli.CommandLine.Option;
import tilewright.cli.io.CommandFailure;
import tilewright.cli.tensor.TensorFile;
import tilewright.kernels.attention.Attention;
import tilewright.numerics.ElementType;

/** The option of {@code run attention} that gives each head a logit in the softmax of its rows. */
final class SinkOptions {
  private static final String BUFFER = "sinkLogits";
  private static final String RANDOM = "random";
  private static final long SEED = 1;

  @Option(names = "--sinks", paramLabel = "FILE|random",
      description = "A logit of each head (H of f16, bf16, f32 or f64; random: normally distributed, always the same) "
          + "that takes part in the softmax of its rows like the score of a key whose value is 0; --lse includes it.")
  private Optional<String> sinks;

  /** Changes the problem, and adds the logits that it reads. */
  void apply(Attention attention, Map<String, MemorySegment> buffers, Arena arena) {
    sinks.ifPresent(where -> {
      int heads = attention.problem().sizes().heads();
      buffers.put(BUFFER, AttentionFileOptions.nonEmpty(where.equals(RANDOM) ? drawn(heads, arena)
          : read(where, heads, arena), arena));
      attention.sinks(BUFFER);
    });
  }

  private static MemorySegment drawn(int heads, Arena arena) {
    var random = new Random(SEED);
    var logits = arena.allocate(ValueLayout.JAVA_FLOAT, heads);
    for (int head = 0; head < heads; head++) {
      logits.setAtIndex(ValueLayout.JAVA_FLOAT, head, (float) random.nextGaussian());
    }
    return logits;
  }

  private static MemorySegment read(String where, int heads, Arena arena) {
    var file = TensorFile.read(where, arena);
    if (!file.shape().equals(List.of((long) heads))) {
      throw CommandFailure.badFile(file.path(), "has " + AttentionFileOptions.text(file.shape())
          + " elements; needed is a logit of each of " + heads + " heads");
    }
    return file.elements(ElementType.F32, arena);
  }
}
