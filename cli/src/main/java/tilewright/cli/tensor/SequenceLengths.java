package tilewright.cli.tensor;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Path;
import java.util.stream.IntStream;
import tilewright.cli.io.CommandFailure;

/** Cumulative sequence lengths ({@code cu_seqlens}) of packed sequences: from 0 to the number of rows. */
public record SequenceLengths(int[] bounds) {

  /**
   * Reads a {@code .npy} file of 32-bit integers.
   *
   * @param rows the rows of the packed tensor
   * @throws CommandFailure naming the file, what was found and what is needed
   */
  public static SequenceLengths read(Path path, int rows, Arena arena) {
    var bounds = IntegerVector.read(path, "cumulated lengths from 0 to " + rows, arena);
    int count = bounds.length;
    if (count < 2 || bounds[0] != 0 || bounds[count - 1] != rows
        || !IntStream.range(1, count).allMatch(i -> bounds[i - 1] <= bounds[i])) {
      throw CommandFailure.badFile(path, "needed are cumulated lengths that rise from 0 to " + rows);
    }
    return new SequenceLengths(bounds);
  }

  public int sequences() {
    return bounds.length - 1;
  }

  public int longest() {
    return IntStream.range(1, bounds.length).map(i -> bounds[i] - bounds[i - 1]).max().orElse(0);
  }

  public MemorySegment buffer(Arena arena) {
    return arena.allocateFrom(ValueLayout.JAVA_INT, bounds);
  }
}
