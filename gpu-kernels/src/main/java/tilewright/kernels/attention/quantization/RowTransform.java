package tilewright.kernels.attention.quantization;

import tilewright.kernel.Partition;
import tilewright.kernel.TensorSpec;
import tilewright.kernel.TraceException;
import tilewright.kernel.Warp;
import tilewright.layout.Layout;
import tilewright.numerics.ElementType;
import tilewright.reference.Hadamard;
import tilewright.reference.HeadQuantizer;
import tilewright.reference.Rotation;

/**
 * The rows of a tile of one head of "X" (B,S,H,D), how they lie on threads, and what is done to them before they are
 * quantised: pairs turned by the tables "C" and "T" (S,D/2), then each column times its sign in "Signs" (D) and a
 * {@link Hadamard} transform.
 *
 * <p>A thread has eight neighbours of a row from each half of the head, so that pairs of either rotation and the widest
 * butterfly are its own, and as many more as bring a row to at most eight threads.
 *
 * @param type bf16, f16 or f32 elements of X
 * @param dim a multiple of 16
 * @param rows of a tile: a power of two from 32 on
 */
public record RowTransform(ElementType type, int dim, int rows, Rotation rotation, boolean hadamard) {
  /** Elements that a thread has side by side: 16 bytes of a 16-bit type. */
  static final int RUN = 8;
  /** Threads of a row at most: 128 bytes per access and row, and three butterflies between lanes. */
  private static final int MOST_LANES = 8;
  /** FP32 values of a thread, in registers from the load to the store. */
  private static final int VALUES = 64;
  private static final int LEAST_ROWS = 32;
  /** The widest head: a thread of one lane has it all. */
  private static final int MOST_DIM = 512;

  public RowTransform {
    if (dim < 2 * RUN || dim > MOST_DIM || dim % (2 * RUN) != 0) {
      throw new TraceException("cannot quantise heads of " + dim + " elements: a multiple of " + 2 * RUN + " up to "
          + MOST_DIM);
    }
    if (Integer.bitCount(rows) != 1 || rows < LEAST_ROWS) {
      throw new TraceException("cannot quantise blocks of " + rows + " rows: a power of two from " + LEAST_ROWS
          + " on");
    }
  }

  /** Without rotation and transform. */
  public static RowTransform none(ElementType type, int dim, int rows) {
    return new RowTransform(type, dim, rows, Rotation.NONE, false);
  }

  /** Neighbours of one half that belong to one block of the Hadamard transform. */
  private int half() {
    return Integer.lowestOneBit(dim) / 2;
  }

  /** Threads of a row. */
  int lanes() {
    return Math.min(MOST_LANES, half() / RUN);
  }

  /** Runs of a thread in one half of one block. */
  int runs() {
    return half() / RUN / lanes();
  }

  /** Blocks of the Hadamard transform in a row. */
  int blocks() {
    return dim / 2 / half();
  }

  /** Elements of a row that a thread has. */
  int perRow() {
    return dim / lanes();
  }

  /** Rows of a thread. */
  int passes() {
    int fitting = Integer.highestOneBit(Math.max(1, VALUES / perRow()));
    return Math.min(fitting, lanes() * rows / Warp.SIZE);
  }

  public int threads() {
    return lanes() * rows / passes();
  }

  /** (thread, element of a row and row of the thread) → place in a tile of rows × dim. */
  Partition partition() {
    int atOnce = rows / passes();
    var lanes = Layout.of(Layout.of(lanes(), (long) RUN * rows), Layout.of(atOnce, 1));
    var values = Layout.of(Layout.of(RUN, rows), Layout.of(runs(), (long) RUN * lanes() * rows),
        Layout.of(blocks(), (long) half() * rows), Layout.of(2, (long) dim / 2 * rows), Layout.of(passes(), atOnce));
    return Partition.exact(Layout.of(lanes, values), rows, dim);
  }

  /** √order that the factors carry. */
  float root() {
    return HeadQuantizer.root(hadamard, dim);
  }

  /** X, read 16 bytes at a time. */
  static TensorSpec source(ElementType type, int dim) {
    return TensorSpec.of("X", type, "B", "S", "H", "D").contiguous("D").aligned(vector(type)).fixed("D", dim)
        .passingReads();
  }

  /** Elements of a 16-byte access, at most a run. */
  static int vector(ElementType type) {
    return Math.min(RUN, 16 / type.bytes());
  }

  static TensorSpec table(String name, int pairs) {
    return TensorSpec.of(name, ElementType.F32, "S", "P").contiguous("P").aligned(4).fixed("P", pairs);
  }

  static TensorSpec signs(int dim) {
    return TensorSpec.of("Signs", ElementType.F32, "D").contiguous("D").aligned(4).fixed("D", dim);
  }

  /** A part of kernels' names. */
  String text() {
    return type.text() + "_d" + dim + "_r" + rows + (rotation == Rotation.NONE ? "" : "_rope_" + rotation.text())
        + (hadamard ? "_hadamard" : "");
  }
}
