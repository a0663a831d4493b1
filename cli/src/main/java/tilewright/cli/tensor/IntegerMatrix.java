package tilewright.cli.tensor;

import java.lang.foreign.Arena;
import java.lang.foreign.ValueLayout;
import java.nio.file.Path;
import tilewright.cli.io.CommandFailure;

/**
 * A matrix of 32-bit integers in a {@code .npy} file.
 *
 * @param values row by row
 */
public record IntegerMatrix(int rows, int columns, int[] values) {

  /**
   * Reads the matrix.
   *
   * @param meaning of the numbers, for the message
   * @throws CommandFailure naming the file, what it has and what is needed
   */
  public static IntegerMatrix read(Path path, String meaning, Arena arena) {
    var file = NpyFile.read(path, arena);
    var header = file.header();
    if (header.type().kind() != 'i' || header.type().bytes() != Integer.BYTES || header.shape().size() != 2
        || header.fortranOrder() || header.shape().stream().anyMatch(extent -> extent > Integer.MAX_VALUE)) {
      throw CommandFailure.badFile(path, "has " + header.extents() + " elements of " + header.type().descr()
          + (header.fortranOrder() ? " in Fortran order" : "") + ": needed are two modes of i4 in C order, " + meaning);
    }
    int rows = Math.toIntExact(header.shape().get(0));
    int columns = Math.toIntExact(header.shape().get(1));
    var values = new int[Math.multiplyExact(rows, columns)];
    for (int i = 0; i < values.length; i++) values[i] = file.data().getAtIndex(ValueLayout.JAVA_INT, i);
    return new IntegerMatrix(rows, columns, values);
  }
}
