package tilewright.cli.run;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Path;
import java.util.Map;
import tilewright.cli.io.CommandFailure;
import tilewright.cli.tensor.IntegerMatrix;
import tilewright.kernels.attention.Attention;
import tilewright.kernels.attention.serving.Serving;

/**
 * The pages of each batch entry, from a file.
 *
 * @param numbers of pages: a row for each batch entry
 */
record PageTable(Path file, IntegerMatrix numbers) {
  private static final String BUFFER = "pageTable";

  static PageTable read(Path file, Arena arena) {
    return new PageTable(file, IntegerMatrix.read(file, "the pages of each batch entry", arena));
  }

  /** Keys that an entry has room for. */
  int keys(int rows) {
    long keys = (long) numbers.columns() * rows;
    if (keys > Integer.MAX_VALUE) {
      throw CommandFailure.badFile(file, "has room for " + keys + " keys of an entry: needed are fewer than 2^31");
    }
    return (int) keys;
  }

  /** @throws CommandFailure unless the table has a row for each batch entry */
  void requireEntries(int batch) {
    if (numbers.rows() != batch) {
      throw CommandFailure.badFile(file, "has " + numbers.rows() + " rows: needed is one for each of " + batch
          + " batch entries");
    }
  }

  /** The cache that the table is of. */
  Serving.Pages pages(int count, int rows) {
    try {
      return new Serving.Pages(BUFFER, rows, count);
    } catch (IllegalArgumentException e) {
      throw CommandFailure.badInput(e.getMessage());
    }
  }

  /** Adds the table, and checks its numbers as far as they are read. */
  void apply(Attention attention, Map<String, MemorySegment> buffers, Arena arena) {
    buffers.put(BUFFER, AttentionFileOptions.nonEmpty(arena.allocateFrom(ValueLayout.JAVA_INT, numbers.values()),
        arena));
    var s = attention.problem().sizes();
    try {
      attention.problem().serving().requireFit(buffers, s.batch(), s.keys());
    } catch (IllegalArgumentException e) {
      throw CommandFailure.badFile(file, e.getMessage());
    }
  }
}
