package tilewright.sm100;

import java.util.List;
import tilewright.kernel.CompiledKernel;
import tilewright.kernel.LaunchArguments;
import tilewright.kernel.PreparedLaunch;
import tilewright.kernel.Target;
import tilewright.ptx.Dim3;
import tilewright.sm100.atom.MmaKind;
import tilewright.sm100.atom.ScaleCopy;

/**
 * The host side of products of floats of eight bits and fewer, with scales or without: C = alpha·A·Bᵀ for buffers "A"
 * (M×K), "B" (N×K) and "C" (M×N), row by row, and the scales "SA" and "SB" as {@link NarrowMatrix} has them.
 */
public final class NarrowGemm {
  private static final int TILE_N = 128;
  private static final int STAGES = 4;
  private static final int BAND = 8;
  private static final int WORDS = ScaleCopy.BYTES / Integer.BYTES;
  private static final int MULTIPROCESSORS = 148;

  private NarrowGemm() {}

  /** Prepares a product; two CTAs multiply together where there are rows for both. */
  public static PreparedLaunch prepare(UmmaTypes types, int m, int n, int k, float alpha) {
    return prepare(configure(types, m), m, n, k, alpha);
  }

  /** The configuration for products with so many rows. */
  public static Sm100GemmConfig configure(UmmaTypes types, int m) {
    int ctas = m > Sm100GemmConfig.TILE_M ? 2 : 1;
    return new Sm100GemmConfig(types, true, true, TILE_N, ctas, ctas, STAGES, 2, false, BAND);
  }

  /** Prepares a given configuration. */
  public static PreparedLaunch prepare(Sm100GemmConfig config, int m, int n, int k, float alpha) {
    var kind = config.types().kind();
    var kernel = CompiledKernel.compile(new Sm100Gemm(config), Target.SM100A);
    int containers = k / kind.perContainer();
    var arguments = LaunchArguments.of(kernel).tensor("A", matrix("A", m, containers))
        .tensor("B", matrix("B", n, containers)).tensor("C", matrix("C", m, n)).scalar("alpha", alpha);
    if (kind.scaled()) arguments.tensor("SA", scales("SA", kind, m, k)).tensor("SB", scales("SB", kind, n, k));
    int tiles = Math.ceilDiv(m, config.cluster() * Sm100GemmConfig.TILE_M) * Math.ceilDiv(n, config.tileN());
    int clusters = config.dynamic() ? tiles : Math.min(tiles, MULTIPROCESSORS / config.cluster());
    return new PreparedLaunch(kernel, Dim3.of(clusters * config.cluster()), arguments.build());
  }

  private static LaunchArguments.Tensor matrix(String name, long rows, long columns) {
    return new LaunchArguments.Tensor(name, 0, List.of(rows, columns, 1L), List.of(columns, 1L, rows * columns));
  }

  private static LaunchArguments.Tensor scales(String name, MmaKind kind, int rows, int k) {
    long tiles = Math.ceilDiv(k, kind.block() * ScaleCopy.SCALES);
    long blocks = Math.ceilDiv(rows, ScaleCopy.ROWS);
    return new LaunchArguments.Tensor(name, 0, List.of(tiles, (long) WORDS, blocks, 1L),
        List.of((long) WORDS, 1L, tiles * WORDS, blocks * tiles * WORDS));
  }
}
