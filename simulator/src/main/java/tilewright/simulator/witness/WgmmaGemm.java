package tilewright.simulator.witness;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import tilewright.ptx.Dim3;
import tilewright.ptx.Launch;
import tilewright.ptx.tensormap.SwizzleMode;
import tilewright.ptx.tensormap.TensorElement;
import tilewright.ptx.tensormap.TensorMap;
import tilewright.ptx.tensormap.TensorView;

/**
 * C = A Bᵀ on Hopper, bf16 with sums in FP32: a producer warp fetches tiles by tensor maps, B for both CTAs of a
 * cluster at once, two warpgroups multiply by {@code wgmma}, and a tensor map takes the sums.
 */
public final class WgmmaGemm {
  /** Rows of C a cluster of two CTAs computes. */
  public static final int CLUSTER_ROWS = 256;
  /** Columns of C a cluster computes. */
  public static final int CLUSTER_COLUMNS = 128;
  /** Depth of a tile of A and B. */
  public static final int DEPTH = 64;

  private static final int CTA_ROWS = 128;
  private static final int WARPGROUP_ROWS = 64;
  private static final int THREADS = 384;
  private static final int SHARED_BYTES = 131072 + 32;

  private WgmmaGemm() {}

  /**
   * A launch for row-major matrices.
   *
   * @param m rows of A and C, a multiple of {@value #CLUSTER_ROWS}
   * @param n rows of B, columns of C, a multiple of {@value #CLUSTER_COLUMNS}
   * @param k columns of A and B, a multiple of {@value #DEPTH}
   * @param a m×k bf16
   * @param b n×k bf16
   * @param c m×n FP32 numbers, written
   */
  public static Launch launch(int m, int n, int k, MemorySegment a, MemorySegment b, MemorySegment c) {
    requireMultiple("m", m, CLUSTER_ROWS);
    requireMultiple("n", n, CLUSTER_COLUMNS);
    requireMultiple("k", k, DEPTH);
    var arguments = List.of(
        map("a", TensorElement.BF16, k, m, SwizzleMode.B128, DEPTH, CTA_ROWS),
        // Each CTA of a cluster fetches half of the columns for both.
        map("b", TensorElement.BF16, k, n, SwizzleMode.B128, DEPTH, CLUSTER_COLUMNS / 2),
        map("c", TensorElement.F32, n, m, SwizzleMode.NONE, CLUSTER_COLUMNS, WARPGROUP_ROWS),
        Launch.Argument.u32(k / DEPTH));
    var grid = new Dim3(m / CTA_ROWS, n / CLUSTER_COLUMNS, 1);
    return new Launch(ptx(), "wgmma_gemm", grid, Dim3.of(THREADS), Dim3.of(2), SHARED_BYTES,
        Map.of("a", a, "b", b, "c", c), arguments);
  }

  private static void requireMultiple(String name, int value, int of) {
    if (value < 1 || value % of != 0) {
      throw new IllegalArgumentException(name + " is " + value + ": needed is a positive multiple of " + of);
    }
  }

  private static Launch.Argument map(String buffer, TensorElement element, long inner, long outer, SwizzleMode swizzle,
      int columns, int rows) {
    var view = TensorView.of(element, List.of(inner, outer), List.of(inner * element.bits() / Byte.SIZE));
    return new Launch.Argument.TensorMapOf(new Launch.Argument.Buffer(buffer),
        new TensorMap.Tiled(view.withSwizzle(swizzle), List.of(columns, rows)));
  }

  private static String ptx() {
    try (var in = WgmmaGemm.class.getResourceAsStream("wgmma_gemm.ptx")) {
      return new String(in.readAllBytes(), StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
