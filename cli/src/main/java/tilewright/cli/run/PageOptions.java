package tilewright.cli.run;

import java.lang.foreign.Arena;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import picocli.CommandLine.Option;
import tilewright.cli.io.CommandFailure;
import tilewright.cli.tensor.TensorFile;
import tilewright.numerics.ElementType;

/** The option of {@code run attention} that says which pages of a cache have the keys of a batch entry. */
final class PageOptions {
  @Option(names = "--pages", paramLabel = "FILE",
      description = "K and V are caches of pages, each page like a batch entry: FILE has the pages of each batch entry "
          + "in the order of its keys (B×N i4, .npy), as far as --used says. Needs "
          + "sm80_decode_attention, or for pages of whole multiples of 8 rows sm90_attention.")
  private Optional<Path> file;

  /** The table of pages, if there is one. */
  Optional<PageTable> read(Arena arena) {
    return file.map(path -> PageTable.read(path, arena));
  }

  /** Checks that K and V are not quantised, which has not been defined for pages of several entries. */
  static void requireAsIs(List<TensorFile> files, ElementType type, boolean blockScaled) {
    if (blockScaled || type == ElementType.E4M3 && files.stream().anyMatch(f -> f.type() != ElementType.E4M3)) {
      throw CommandFailure.badInput("--pages does not go with numbers that are quantised, since factors belong to "
          + "batch entries: give 16-bit numbers, or codes of e4m3");
    }
  }
}
