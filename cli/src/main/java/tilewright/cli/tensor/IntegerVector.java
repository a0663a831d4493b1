package tilewright.cli.tensor;

import java.lang.foreign.Arena;
import java.lang.foreign.ValueLayout;
import java.nio.file.Path;
import java.util.stream.IntStream;
import tilewright.cli.io.CommandFailure;

/** A vector of 32-bit integers in a {@code .npy} file. */
public final class IntegerVector {
  private IntegerVector() {}

  /**
   * Reads the vector.
   *
   * @param meaning of the numbers, for the message
   * @throws CommandFailure naming the file, and what is needed
   */
  public static int[] read(Path path, String meaning, Arena arena) {
    var file = NpyFile.read(path, arena);
    var type = file.header().type();
    if (type.kind() != 'i' || type.bytes() != Integer.BYTES || file.header().shape().size() != 1) {
      throw CommandFailure.badFile(path, "needed is one mode of i4: " + meaning);
    }
    return IntStream.range(0, Math.toIntExact(file.header().shape().getFirst()))
        .map(i -> file.data().getAtIndex(ValueLayout.JAVA_INT, i)).toArray();
  }
}
