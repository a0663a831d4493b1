package tilewright.cli.tensor;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import tilewright.cli.io.CommandFailure;
import tilewright.cli.io.InputFile;
import tilewright.numerics.ElementType;
import tilewright.numerics.Rounding;

/**
 * A tensor of floating-point numbers in a file, the last mode contiguous.
 *
 * @param data in the file's type
 */
public record TensorFile(Path path, ElementType type, List<Long> shape, MemorySegment data) {
  private static final String SAFETENSORS = ".safetensors";

  public TensorFile {
    shape = List.copyOf(shape);
  }

  /**
   * Reads {@code FILE.npy} or {@code FILE.safetensors:TENSOR}.
   *
   * @throws CommandFailure naming the file, what was found and what is needed
   */
  public static TensorFile read(String where, Arena arena) {
    return read(where, arena, Optional.empty());
  }

  /**
   * Like {@link #read(String, Arena)}.
   *
   * @param ofBytes type of the elements that {@code .npy} stores as bytes without a type (u1 or V1)
   */
  public static TensorFile read(String where, Arena arena, Optional<ElementType> ofBytes) {
    int colon = where.lastIndexOf(SAFETENSORS + ":");
    if (colon >= 0) {
      int split = colon + SAFETENSORS.length();
      return Safetensors.read(InputFile.named(where.substring(0, split)), where.substring(split + 1), arena);
    }
    var path = InputFile.named(where);
    if (where.endsWith(SAFETENSORS)) throw CommandFailure.badFile(path, "say which tensor: " + where + ":NAME");
    var file = NpyFile.read(path, arena);
    var type = element(path, file.header().type(), ofBytes);
    if (file.header().fortranOrder()) throw CommandFailure.badFile(path, "is in Fortran order; needed is C order");
    return new TensorFile(path, type, file.header().shape(), file.data());
  }

  private static ElementType element(Path path, NpyType type, Optional<ElementType> ofBytes) {
    boolean bytes = type.bytes() == 1 && type.kind() != 'i';
    if (bytes && ofBytes.isPresent()) return ofBytes.get();
    if (type.kind() == 'f') {
      return switch (type.bytes()) {
        case 2 -> ElementType.F16;
        case 4 -> ElementType.F32;
        default -> ElementType.F64;
      };
    }
    if (type.kind() == 'V' && !bytes) return ElementType.BF16;
    throw CommandFailure.badFile(path, "its element type is '" + type.descr()
        + "'; needed is f2, f4 or f8, or bfloat16 stored as V2"
        + (bytes ? "; codes of 8 bits need their type, such as --dtype e4m3" : ""));
  }

  /** Writes elements to {@code FILE.npy}, or as the only tensor of {@code FILE.safetensors}. */
  public static void write(Path path, String name, ElementType type, List<Long> shape, MemorySegment data) {
    if (path.toString().endsWith(SAFETENSORS)) Safetensors.write(path, name, type, shape, data);
    else new NpyFile(new NpyHeader(NpyType.of(type), false, shape), data).write(path);
  }

  public int extent(int mode) {
    return Math.toIntExact(shape.get(mode));
  }

  /** The elements in another type: where they lie if it is theirs, else a copy rounded to nearest even. */
  public MemorySegment elements(ElementType wanted, Arena arena) {
    if (type == wanted) return data;
    if (wanted.bytes() != Short.BYTES) throw new IllegalArgumentException("no rounding to " + wanted.text());
    long count = data.byteSize() / type.bytes();
    var result = arena.allocate(Math.max(1, count * wanted.bytes()), 256);
    for (long i = 0; i < count; i++) {
      long bits = switch (type.bytes()) {
        case 1 -> data.get(ValueLayout.JAVA_BYTE, i);
        case 2 -> data.getAtIndex(ValueLayout.JAVA_SHORT, i);
        case 4 -> data.getAtIndex(ValueLayout.JAVA_INT, i);
        default -> data.getAtIndex(ValueLayout.JAVA_LONG, i);
      };
      double value = type.toDouble(bits);
      result.setAtIndex(ValueLayout.JAVA_SHORT, i, (short) wanted.fromDouble(value, Rounding.NEAREST_EVEN));
    }
    return result;
  }

  /** Returns the path with shape and type, such as {@code q.npy (2×128×4×64 bf16)}. */
  @Override
  public String toString() {
    return path + " (" + shape.stream().map(String::valueOf).collect(Collectors.joining("×")) + " " + type.text() + ")";
  }
}
