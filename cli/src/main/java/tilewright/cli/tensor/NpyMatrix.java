package tilewright.cli.tensor;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Path;
import java.util.Optional;
import tilewright.cli.io.CommandFailure;
import tilewright.kernel.Matrix;
import tilewright.numerics.ElementType;
import tilewright.numerics.Rounding;

/**
 * A matrix, or a batch of them, that a {@code .npy} file holds: (rows, columns) or (batch, rows, columns), in either
 * order.
 *
 * @param transposed whether the file has columns before rows
 */
public record NpyMatrix(Path path, NpyFile file, boolean transposed) {

  /** @throws CommandFailure if the file is no matrix */
  public static NpyMatrix read(Path path, boolean transposed, Arena arena) {
    var file = NpyFile.read(path, arena);
    if (!file.header().type().isMatrixElement()) {
      throw CommandFailure.badFile(path, "its element type is '" + file.header().type().descr()
          + "'; needed is f2, f4 or f8, bfloat16 stored as V2 or u2, or 8-bit floats as V1 or u1");
    }
    var rank = file.header().shape().size();
    if (rank != 2 && rank != 3) {
      throw CommandFailure.badFile(path, "has rank " + rank + " (" + file.header().extents()
          + "); needed is a matrix of rank 2, or a batch of them of rank 3");
    }
    if (file.header().shape().stream().anyMatch(extent -> extent > Integer.MAX_VALUE)) {
      throw CommandFailure.badFile(path, "is " + file.header().extents() + ", more than a kernel can index");
    }
    return new NpyMatrix(path, file, transposed);
  }

  public int rows() {
    return extent(transposed ? 1 : 2);
  }

  public int columns() {
    return extent(transposed ? 2 : 1);
  }

  /** Matrices in the batch; nothing if the file holds one matrix alone. */
  public Optional<Integer> batch() {
    return file.header().shape().size() == 3 ? Optional.of(extent(3)) : Optional.empty();
  }

  private int extent(int fromEnd) {
    var shape = file.header().shape();
    return Math.toIntExact(shape.get(shape.size() - fromEnd));
  }

  /** Returns the strides of the elements in a buffer; a single matrix has batch stride 0. */
  public Matrix matrix(String buffer) {
    long batch = batch().orElse(1);
    long first = extent(2);
    long last = extent(1);
    // Fortran order runs the batch index fastest, C order slowest.
    long firstStride = file.header().fortranOrder() ? batch : last;
    long lastStride = file.header().fortranOrder() ? batch * first : 1;
    long batchStride = batch().isEmpty() ? 0 : file.header().fortranOrder() ? 1 : first * last;
    return transposed ? new Matrix(buffer, 0, lastStride, firstStride, batchStride)
        : new Matrix(buffer, 0, firstStride, lastStride, batchStride);
  }

  /** The type the elements have without being told; nothing for plain integers and bytes, which could be anything. */
  public Optional<ElementType> type() {
    var type = file.header().type();
    return switch (type.kind()) {
      case 'f' ->
          Optional.of(type.bytes() == 2 ? ElementType.F16 : type.bytes() == 4 ? ElementType.F32 : ElementType.F64);
      case 'V' -> type.bytes() == 2 ? Optional.of(ElementType.BF16) : Optional.empty();
      default -> Optional.empty();
    };
  }

  /**
   * The elements as a kernel wants them: where they lie if they have that type, else a copy rounded to nearest even.
   *
   * @throws CommandFailure if the file holds opaque words and a type is wanted that cannot be theirs
   */
  public MemorySegment elements(ElementType wanted, Arena arena) {
    if (file.header().type().bytes() == 1) return bytes(wanted);
    var type = type().orElse(ElementType.BF16);
    if (type == ElementType.BF16 && wanted != ElementType.BF16) {
      throw CommandFailure.badFile(path, "its element type is '" + file.header().type().descr()
          + "', which is read as bfloat16 only; needed is " + wanted.text() + " or --dtype bf16");
    }
    if (type == wanted) return file.data();
    return convert(type, wanted, arena);
  }

  private MemorySegment bytes(ElementType wanted) {
    if (wanted.bits() == Byte.SIZE) return file.data();
    throw CommandFailure.badFile(path, "its element type is '" + file.header().type().descr()
        + "', an 8-bit float that is not named; needed is --dtype e4m3 or e5m2");
  }

  private MemorySegment convert(ElementType from, ElementType to, Arena arena) {
    var source = file.data();
    var count = source.byteSize() / from.bytes();
    var result = arena.allocate(count * to.bytes(), 256);
    for (long i = 0; i < count; i++) {
      var bits = switch (from.bytes()) {
        case 2 -> source.getAtIndex(ValueLayout.JAVA_SHORT, i);
        case 4 -> source.getAtIndex(ValueLayout.JAVA_INT, i);
        default -> source.getAtIndex(ValueLayout.JAVA_LONG, i);
      };
      var rounded = to.fromDouble(from.toDouble(bits), Rounding.NEAREST_EVEN);
      if (to.bytes() == 1) result.setAtIndex(ValueLayout.JAVA_BYTE, i, (byte) rounded);
      else result.setAtIndex(ValueLayout.JAVA_SHORT, i, (short) rounded);
    }
    return result;
  }

  /** Returns the path with extents and type, such as {@code a.npy (17×65 f32)}. */
  @Override
  public String toString() {
    var type = type().map(ElementType::text).orElse(file.header().type().descr().substring(1));
    return path + " (" + file.header().extents() + " " + type + ")";
  }
}
