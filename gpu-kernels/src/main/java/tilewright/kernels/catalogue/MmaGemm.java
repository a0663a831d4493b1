package tilewright.kernels.catalogue;

import java.util.List;
import tilewright.kernel.CompiledKernel;
import tilewright.kernel.Kernel;
import tilewright.kernel.LaunchArguments;
import tilewright.kernel.PreparedLaunch;
import tilewright.kernel.Scope;
import tilewright.kernel.Target;
import tilewright.kernels.GemmProblem;
import tilewright.kernels.gemm.Gemm;
import tilewright.kernels.gemm.GemmConfig;
import tilewright.kernels.gemm.Sm80Gemm;
import tilewright.kernels.registry.Choice;
import tilewright.kernels.registry.Family;
import tilewright.kernels.registry.Operand;
import tilewright.kernels.registry.Setting;
import tilewright.kernels.registry.Workload;
import tilewright.ptx.Dim3;
import tilewright.reference.MatrixReference;

/**
 * C (M,N) = A (M,K) · B (K,N) of 16-bit floats, rows contiguous in all three, on tensor cores: {@link Sm80Gemm} in
 * configurations worth comparing, summed in the tensor cores' FP32 and rounded once. NaNs and infinities as
 * in that sum.
 *
 * @param config of the underlying kernel
 */
record MmaGemm(GemmConfig config) implements Kernel {
  private static final int TILE_K = 32;
  private static final int WARPS = 2;

  /** Square tiles, stages along k, and rows of tiles that CTAs work through together: with 1 in the tiles' order. */
  static final List<Family> FAMILIES = List.of(new GemmFamily("mma_gemm",
      "C (M,N) = A (M,K) · B (K,N) of 16-bit floats on tensor cores", List.of(
          Setting.option("dtype", "f16", "bf16"), Setting.option("tile", "128", "64"),
          Setting.option("stages", "4", "2", "3"), Setting.option("band", "8", "1"))) {
    @Override
    public Workload workload(Choice choice) {
      var type = choice.type("dtype");
      int m = choice.number("m");
      int n = choice.number("n");
      int k = choice.number("k");
      var operands = List.of(Operand.input("A", type, choice, "m", "k"), Operand.input("B", type, choice, "k", "n"),
          Operand.output("C", type, choice, "m", "n"));
      long bytes = operands.stream().mapToLong(Operand::bytes).sum();
      return new Workload(launch(GemmProblem.packed(type, type, m, n, k, 1, "TT"), choice), operands,
          MatrixReference.tensorCores(type, m, n, k), bytes, 2.0 * m * n * k);
    }
  });

  private static PreparedLaunch launch(GemmProblem problem, Choice choice) {
    var config = config(problem, choice);
    var kernel = CompiledKernel.compile(new MmaGemm(config), Target.SM80);
    int m = problem.m();
    int n = problem.n();
    int k = problem.k();
    var arguments = LaunchArguments.of(kernel).tensor("A", problem.a().argument(m, k, 1))
        .tensor("B", problem.b().argument(n, k, 1)).tensor("C", problem.c().argument(m, n, 1))
        .scalar("alpha", 1).scalar("beta", 0);
    var tiles = Math.multiplyExact(Math.ceilDiv(m, config.tile().m()), Math.ceilDiv(n, config.tile().n()));
    return new PreparedLaunch(kernel, Dim3.of(tiles), arguments.build());
  }

  /** The widest accesses that the problem allows, in the chosen tiles. */
  private static GemmConfig config(GemmProblem problem, Choice choice) {
    var widest = Gemm.configure(problem);
    // The addresses of single elements leave no registers for the larger tile.
    boolean single = widest.vectors().a() == 1 || widest.vectors().b() == 1;
    int tile = single ? Math.min(64, choice.number("tile")) : choice.number("tile");
    return new GemmConfig(widest.operands(), new GemmConfig.Tile(tile, tile, TILE_K, WARPS, WARPS,
        choice.number("stages"), choice.number("band")), widest.vectors());
  }

  @Override
  public String name() {
    var tile = config.tile();
    return "mma_gemm_" + config.operands().type().text() + "_" + tile.m() + "_s" + tile.stages() + "_b" + tile.band();
  }

  @Override
  public void trace(Scope k) {
    new Sm80Gemm(config).trace(k);
  }
}
