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
 * The host side of quantizing on the device: a matrix of f32, bf16 or f16, whose rows are contiguous, becomes what a
 * product of {@link NarrowGemm} reads.
 */
public final class NarrowQuantization {
  private static final int ACCESS_BYTES = 16;

  private NarrowQuantization() {}

  /**
   * Prepares the kernel that writes elements to buffer "Q" and scales to "S".
   *
   * @param type f32, bf16 or f16
   * @param x (M,K), K contiguous; of formats with a factor, "G" holds the largest finite magnitude
   */
  public static PreparedLaunch quantize(NarrowLayout to, ElementType type, LaunchArguments.Tensor x) {
    if (!to.format().kind().scaled()) {
      throw new IllegalArgumentException(to.format() + " has no scales: use mxf8, mxf6, mxf4 or nvf4");
    }
    requireRows(to, x);
    var kernel = CompiledKernel.compile(new NarrowQuantizer(to.format(), type, vectors(type, x)), Target.SM100A);
    long tiles = to.tiles();
    long blocks = to.blockRows();
    var tile = ScaleCopy.layout();
    var arguments = LaunchArguments.of(kernel).tensor("X", x)
        .tensor("Q", new LaunchArguments.Tensor("Q", 0, List.of((long) to.rows(), (long) to.words()),
            List.of((long) to.words(), 1L)))
        .tensor("S", new LaunchArguments.Tensor("S", 0, List.of(32L, 4L, (long) ScaleCopy.SCALES, tiles, blocks),
            List.of(stride(tile, 0), stride(tile, 1), stride(tile, 2), (long) ScaleCopy.BYTES,
                ScaleCopy.BYTES * tiles)));
    if (to.format().hasFactor()) arguments.tensor("G", single());
    long across = to.pitch() / ((long) to.format().kind().block() * ScaleCopy.SCALES);
    return new PreparedLaunch(kernel, Dim3.of(Math.toIntExact(blocks), Math.toIntExact(across)), arguments.build());
  }

  /** Prepares the kernel that raises the single in buffer "G", zero at first, to the largest finite magnitude. */
  public static PreparedLaunch largest(ElementType type, LaunchArguments.Tensor x) {
    var kernel = CompiledKernel.compile(new LargestMagnitude(type, vectors(type, x)), Target.SM100A);
    long rows = Math.ceilDiv(x.extents().get(0), LargestMagnitude.ROWS);
    long columns = Math.max(1, Math.ceilDiv(x.extents().get(1), LargestMagnitude.COLUMNS));
    return new PreparedLaunch(kernel, Dim3.of(Math.toIntExact(rows), Math.toIntExact(columns)),
        LaunchArguments.of(kernel).tensor("X", x).tensor("G", single()).build());
  }

  private static LaunchArguments.Tensor single() {
    return new LaunchArguments.Tensor("G", 0, List.of(1L), List.of(1L));
  }

  private static long stride(Layout tile, int mode) {
    return tile.flatStride()[mode];
  }

  private static void requireRows(NarrowLayout to, LaunchArguments.Tensor x) {
    if (!x.extents().equals(List.of((long) to.rows(), (long) to.k())) || to.k() < 1) {
      throw new IllegalArgumentException("X is " + x.extents() + ", to be quantized as " + to.rows() + " rows of "
          + to.k() + ": they must be equal, and not empty");
    }
  }

  private static boolean vectors(ElementType type, LaunchArguments.Tensor x) {
    long each = ACCESS_BYTES / type.bytes();
    return x.offset() % ACCESS_BYTES == 0 && x.extents().get(1) % each == 0 && x.strides().get(0) % each == 0;
  }
}
