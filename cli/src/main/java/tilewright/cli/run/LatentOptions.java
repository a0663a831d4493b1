package tilewright.cli.run;

import java.lang.foreign.Arena;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import picocli.CommandLine.Option;
import tilewright.cli.io.CommandFailure;
import tilewright.cli.tensor.TensorFile;
import tilewright.numerics.ElementType;

/** The options of {@code run attention} for latent attention, whose V is a part of K. */
final class LatentOptions {
  @Option(names = "--latent", paramLabel = "N",
      description = "V is the first N columns of K, which has one head: leave out --v (multi-head latent attention, "
          + "absorbed; sm80_mla_decode, or on Hopper sm90_mla_decode).")
  private Optional<Integer> columns;

  @Option(names = "--indices", paramLabel = "FILE",
      description = "The rows of K that each query sees, B×Sq×N i4 (.npy): with --latent, K is a cache of pages, each "
          + "page like a batch entry, whose rows are counted one after the other; -1 is none.")
  private Optional<Path> indices;

  /** Columns of V, where that is a part of K. */
  Optional<Integer> columns() {
    return columns;
  }

  /** The tokens that queries choose, if they do. */
  Optional<ChosenTokens> read(Arena arena) {
    if (indices.isPresent() && columns.isEmpty()) {
      throw CommandFailure.badInput("--indices needs --latent N: only latent attention has chosen tokens");
    }
    return indices.map(path -> ChosenTokens.read(path, arena));
  }

  /**
   * Checks what goes with a V that is a part of K.
   *
   * @param given by option, whether it is there
   */
  void check(Map<String, Boolean> given) {
    if (columns.isEmpty()) return;
    given.keySet().stream().filter(given::get).sorted().findFirst().ifPresent(name -> {
      throw CommandFailure.badInput("--latent, whose V is a part of K, does not go with " + name + ": leave it out");
    });
  }

  /** Checks that Q and K hold numbers of 16 bits, and K one head with such columns. */
  void check(TensorFile k, int heads, int dim, ElementType type, boolean codes) {
    if (columns.isEmpty()) return;
    if (type == ElementType.E4M3 || codes) {
      throw CommandFailure.badInput("--latent needs numbers of f16 or bf16: leave out --dtype and --kv-dtype of codes");
    }
    if (heads != 1 || columns.get() < 1 || columns.get() > dim) {
      throw CommandFailure.badFile(k.path(), "has " + heads + " heads of " + dim + " columns: needed for --latent "
          + columns.get() + " is one head of " + Math.max(1, columns.get()) + " or more");
    }
  }
}
