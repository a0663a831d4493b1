package tilewright.cli.tensor;

import java.lang.foreign.Arena;
import java.lang.foreign.ValueLayout;
import java.nio.file.Path;
import java.util.List;
import tilewright.cli.io.CommandFailure;

/**
 * A tensor of 32-bit integers in a {@code .npy} file.
 *
 * @param values in C order
 */
public record IntegerTensor(List<Integer> shape, int[] values) {
  private static final List<String> COUNTS = List.of("no modes", "one mode", "two modes", "three modes");

  /**
   * Reads the tensor.
   *
   * @param modes that it must have
   * @param meaning of the numbers, for the message
   * @throws CommandFailure naming the file, what it has and what is needed
   */
  public static IntegerTensor read(Path path, int modes, String meaning, Arena arena) {
    var file = NpyFile.read(path, arena);
    var header = file.header();
    long count = header.shape().stream().reduce(1L, Math::multiplyExact);
    if (header.type().kind() != 'i' || header.type().bytes() != Integer.BYTES || header.shape().size() != modes
        || header.fortranOrder() || header.shape().stream().anyMatch(extent -> extent > Integer.MAX_VALUE)
        || count > Integer.MAX_VALUE) {
      throw CommandFailure.badFile(path, "has " + header.extents() + " elements of " + header.type().descr()
          + (header.fortranOrder() ? " in Fortran order" : "") + ": needed are " + COUNTS.get(modes)
          + " of i4 in C order, " + meaning);
    }
    var values = new int[(int) count];
    for (int i = 0; i < values.length; i++) values[i] = file.data().getAtIndex(ValueLayout.JAVA_INT, i);
    return new IntegerTensor(header.shape().stream().map(Math::toIntExact).toList(), values);
  }
}
