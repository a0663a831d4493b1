package tilewright.cli.run;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.Map;
import tilewright.cli.io.CommandFailure;
import tilewright.cli.io.InputFile;
import tilewright.cli.tensor.NpyFile;
import tilewright.kernel.LaunchArguments;
import tilewright.kernel.collective.attention.CapturedTensor;
import tilewright.kernel.collective.attention.Captures;
import tilewright.kernels.attention.Attention;
import tilewright.kernels.attention.AttentionProblem.Sizes;
import tilewright.numerics.ElementType;

/**
 * What follows the name of a mask or function: numbers, and files whose tensors the launch captures.
 *
 * @param buffers that get the files' elements
 */
record ModArguments(List<String> words, Attention attention, Map<String, MemorySegment> buffers, Arena arena) {
  Sizes sizes() {
    return attention.problem().sizes();
  }

  int count() {
    return words.size();
  }

  boolean isFile(int place) {
    return word(place).endsWith(".npy");
  }

  private String word(int place) {
    if (place >= words.size() || words.get(place).isEmpty()) {
      throw new IllegalArgumentException("it needs " + (place + 1) + " or more values behind the colon");
    }
    return words.get(place);
  }

  int number(int place) {
    try {
      return Integer.parseInt(word(place));
    } catch (NumberFormatException e) {
      throw new IllegalArgumentException(word(place) + " is no whole number");
    }
  }

  float positive(int place) {
    try {
      float number = Float.parseFloat(word(place));
      if (number > 0) return number;
    } catch (NumberFormatException e) {
      // Refused below.
    }
    throw new IllegalArgumentException(word(place) + " is no positive number");
  }

  /** A captured tensor of floating-point numbers from a file; of any rank if {@code rank} is 0. */
  CapturedTensor numbers(int place, String name, int rank) {
    return capture(place, name, rank, "f4, f2 or bfloat16 stored as V2", ElementType.F32, ElementType.F16,
        ElementType.BF16);
  }

  /** A captured tensor of integers from a file. */
  CapturedTensor integers(int place, String name, int rank) {
    return capture(place, name, rank, "i4 or i1", ElementType.I32, ElementType.I8);
  }

  /** Integers of (distances) that index the last mode of another captured tensor. */
  CapturedTensor below(int place, String name, int rank, String other) {
    var extents = attention.problem().modification().captures().tensors().get(other).place().extents();
    return integers(place, name, Math.max(1, rank)).below(Math.toIntExact(extents.getLast()));
  }

  /** Integers of (batch, positions) from a file, or of (positions) that batch entries share. */
  CapturedTensor perPosition(int place, String name) {
    var file = NpyFile.read(InputFile.named(word(place)), arena);
    if (file.header().shape().size() != 1) return integers(place, name, 2);
    var single = integers(place, name, 1);
    var tensor = CapturedTensor.of(name, single.type(), 2);
    attention.capture(new Captures.Given(tensor, new LaunchArguments.Tensor(name, 0,
        List.of((long) Math.max(1, sizes().batch()), file.header().shape().getFirst()), List.of(0L, 1L))));
    return tensor;
  }

  private CapturedTensor capture(int place, String name, int rank, String needed, ElementType... types) {
    var path = InputFile.named(word(place));
    var file = NpyFile.read(path, arena);
    var header = file.header();
    var type = header.type().element().filter(List.of(types)::contains).orElseThrow(() ->
        CommandFailure.badFile(path, "its element type is '" + header.type().descr() + "'; needed for " + name + " is "
            + needed));
    if (rank > 0 && header.shape().size() != rank) {
      throw CommandFailure.badFile(path, "has rank " + header.shape().size() + "; needed for " + name + " is rank "
          + rank);
    }
    if (header.fortranOrder()) throw CommandFailure.badFile(path, "is in Fortran order; needed is C order");
    var tensor = CapturedTensor.of(name, type, header.shape().size());
    attention.capture(tensor, header.shape().stream().mapToLong(Long::longValue).toArray());
    buffers.put(name, file.data());
    return tensor;
  }
}
