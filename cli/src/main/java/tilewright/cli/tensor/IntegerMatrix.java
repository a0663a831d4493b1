package tilewright.cli.tensor;

import java.lang.foreign.Arena;
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
    var tensor = IntegerTensor.read(path, 2, meaning, arena);
    return new IntegerMatrix(tensor.shape().getFirst(), tensor.shape().getLast(), tensor.values());
  }
}
