package tilewright.sm100;

import java.util.List;
import tilewright.kernel.CompiledKernel;
import tilewright.kernel.LaunchArguments;
import tilewright.kernel.PreparedLaunch;
import tilewright.kernel.Target;
import tilewright.layout.Layout;
import tilewright.numerics.ElementType;
import tilewright.ptx.Dim3;
import tilewright.sm100.atom.ScaleCopy;

/**
 * The host side of quantizing on the device: a matrix of f32, bf16 or f16, whose rows are contiguous, or a batch of
 * them, becomes what a product of {@link NarrowGemm} reads.
 */
public final class NarrowQuantization {
  private static final int ACCESS_BYTES = 16;

  private NarrowQuantization() {}

  /**
   * Prepares the kernel that writes elements to buffer "Q" and scales to "S".
   *
   * @param to of each matrix; those of a batch follow each other
   * @param type f32, bf16 or f16
   * @param x (M,K) or (M,K,L), K contiguous; of formats with a factor, "G" (L) holds the largest finite magnitudes, and
   *     "F" (L) receives the factors
   */
  public static PreparedLaunch quantize(NarrowLayout to, ElementType type, LaunchArguments.Tensor x) {
    return quantize(to, type, x, Target.SM100A);
  }

  /** Like {@link #quantize(NarrowLayout, ElementType, LaunchArguments.Tensor)}, for another target of Blackwell. */
  public static PreparedLaunch quantize(NarrowLayout to, ElementType type, LaunchArguments.Tensor x, Target target) {
    if (!to.format().kind().scaled()) {
      throw new IllegalArgumentException(to.format() + " has no scales: use mxf8, mxf6, mxf4 or nvf4");
    }
    if (!to.alongK()) {
      throw new IllegalArgumentException("rows are quantized as they lie, along k: NarrowMatrix lays columns one after "
          + "the other");
    }
    var batched = batched(x);
    requireRows(to, batched);
    long batch = batched.extents().get(2);
    var kernel = CompiledKernel.compile(new NarrowQuantizer(to.format(), type, vectors(type, batched)), target);
    long tiles = to.tiles();
    long blocks = to.blockRows();
    var tile = ScaleCopy.layout();
    long row = to.words();
    var arguments = LaunchArguments.of(kernel).tensor("X", batched)
        .tensor("Q", new LaunchArguments.Tensor("Q", 0, List.of((long) to.rows(), row, batch),
            List.of(row, 1L, row * to.rows())))
        .tensor("S", new LaunchArguments.Tensor("S", 0, List.of(32L, 4L, (long) ScaleCopy.SCALES, tiles, blocks, batch),
            List.of(stride(tile, 0), stride(tile, 1), stride(tile, 2), (long) ScaleCopy.BYTES,
                ScaleCopy.BYTES * tiles, to.scaleBytes())));
    if (to.format().hasFactor()) arguments.tensor("G", singles("G", batch)).tensor("F", singles("F", batch));
    long across = to.pitch() / ((long) to.format().kind().block() * ScaleCopy.SCALES);
    return new PreparedLaunch(kernel, grid(blocks, across, batch), arguments.build());
  }

  /**
   * Prepares the kernel that raises the FP32 numbers in buffer "G" (L), zero at first, to the largest finite
   * magnitudes.
   */
  public static PreparedLaunch largest(ElementType type, LaunchArguments.Tensor x) {
    return largest(type, x, Target.SM100A);
  }

  /** Like {@link #largest(ElementType, LaunchArguments.Tensor)}, for another target of Blackwell. */
  public static PreparedLaunch largest(ElementType type, LaunchArguments.Tensor x, Target target) {
    var batched = batched(x);
    var kernel = CompiledKernel.compile(new LargestMagnitude(type, vectors(type, batched)), target);
    long rows = Math.ceilDiv(x.extents().get(0), LargestMagnitude.ROWS);
    long columns = Math.ceilDiv(x.extents().get(1), LargestMagnitude.COLUMNS);
    long batch = batched.extents().get(2);
    return new PreparedLaunch(kernel, grid(rows, columns, batch),
        LaunchArguments.of(kernel).tensor("X", batched).tensor("G", singles("G", batch)).build());
  }

  private static Dim3 grid(long x, long y, long z) {
    return new Dim3(Math.toIntExact(x), Math.toIntExact(y), Math.toIntExact(z));
  }

  private static LaunchArguments.Tensor batched(LaunchArguments.Tensor x) {
    if (x.extents().size() > 2) return x;
    return new LaunchArguments.Tensor(x.buffer(), x.offset(), List.of(x.extents().get(0), x.extents().get(1), 1L),
        List.of(x.strides().get(0), x.strides().get(1), 0L));
  }

  private static LaunchArguments.Tensor singles(String name, long count) {
    return new LaunchArguments.Tensor(name, 0, List.of(count), List.of(1L));
  }

  private static long stride(Layout tile, int mode) {
    return tile.flatStride()[mode];
  }

  private static void requireRows(NarrowLayout to, LaunchArguments.Tensor x) {
    if (!x.extents().subList(0, 2).equals(List.of((long) to.rows(), (long) to.k())) || to.k() < 1) {
      throw new IllegalArgumentException("X is " + x.extents() + ", to be quantized as " + to.rows() + " rows of "
          + to.k() + ": they must be equal, and not empty");
    }
  }

  private static boolean vectors(ElementType type, LaunchArguments.Tensor x) {
    long each = ACCESS_BYTES / type.bytes();
    return x.offset() % ACCESS_BYTES == 0 && x.extents().get(1) % each == 0 && x.strides().get(0) % each == 0
        && x.strides().get(2) % each == 0;
  }
}
