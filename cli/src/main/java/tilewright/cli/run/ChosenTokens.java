package tilewright.cli.run;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import tilewright.cli.io.CommandFailure;
import tilewright.cli.tensor.IntegerTensor;
import tilewright.kernels.attention.Attention;
import tilewright.kernels.attention.serving.Serving;

/**
 * The tokens that queries choose, from a file.
 *
 * @param numbers (batch, queries, tokens of each)
 */
record ChosenTokens(Path file, IntegerTensor numbers) {
  private static final String BUFFER = "indices";

  static ChosenTokens read(Path file, Arena arena) {
    return new ChosenTokens(file, IntegerTensor.read(file, 3, "the tokens of each query", arena));
  }

  /** Tokens of each query. */
  int each() {
    return numbers.shape().getLast();
  }

  /** @throws CommandFailure unless each query has its tokens */
  void requireQueries(int batch, int queries) {
    var wanted = List.of(batch, queries, each());
    if (!numbers.shape().equals(wanted)) {
      throw CommandFailure.badFile(file, "has tokens of " + numbers.shape() + ": needed are " + wanted
          + ", some for each query of each batch entry");
    }
  }

  /** Changes the problem, and adds the tokens, whose numbers are checked. */
  void apply(Attention attention, int pages, int rows, Map<String, MemorySegment> buffers, Arena arena) {
    buffers.put(BUFFER, AttentionFileOptions.nonEmpty(arena.allocateFrom(ValueLayout.JAVA_INT, numbers.values()),
        arena));
    try {
      attention.chosenTokens(new Serving.Tokens(BUFFER, rows, pages));
      var s = attention.problem().sizes();
      attention.problem().serving().tokens().orElseThrow().requireFit(buffers, s.batch(), s.queries(), s.keys());
    } catch (IllegalArgumentException e) {
      throw CommandFailure.badFile(file, e.getMessage());
    }
  }
}
