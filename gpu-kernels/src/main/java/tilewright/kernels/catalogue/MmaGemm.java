package tilewright.kernels.catalogue;

import java.util.List;
import tilewright.kernels.Gemm;
import tilewright.kernels.GemmConfig;
import tilewright.kernels.GemmProblem;
import tilewright.kernels.Sm80Gemm;
import tilewright.numerics.ElementType;
import tilewright.reference.MatrixReference;

/**
 * C (M,N) = A (M,K) · B (K,N) of 16-bit floats, rows contiguous in all three, on tensor cores: {@link Sm80Gemm} in
 * configurations worth comparing, summed in the tensor cores' single precision and rounded once. M and N are at least 1.
 */
final class MmaGemm {
  private static final int TILE_K = 32;
  private static final int WARPS = 2;

  /** {@code band} is how many rows of tiles CTAs work through together: with 1 the order is that of the tiles. */
  static final Family FAMILY = new GemmFamily("mma_gemm",
      "C (M,N) = A (M,K) · B (K,N) of 16-bit floats on tensor cores", List.of(
          Setting.option("dtype", "f16", "bf16"), Setting.option("tile", "128x128", "64x64"),
          Setting.option("stages", "4", "2", "3"), Setting.option("band", "8", "1"))) {
    @Override
    public List<List<Integer>> awkward() {
      return List.of(List.of(1, 1, 0), List.of(1, 1, 1), List.of(33, 17, 65), List.of(136, 144, 72));
    }

    @Override
    public Workload workload(Choice choice) {
      var type = choice.type("dtype");
      int m = choice.number("m");
      int n = choice.number("n");
      int k = choice.number("k");
      var problem = GemmProblem.packed(type, type, m, n, k, 1, "TT");
      var operands = List.of(Operand.input("A", type, choice, "m", "k"), Operand.input("B", type, choice, "k", "n"),
          Operand.output("C", type, choice, "m", "n"));
      long bytes = operands.stream().mapToLong(Operand::bytes).sum();
      return new Workload(Gemm.sm80(problem, config(problem, choice)), operands,
          MatrixReference.tensorCores(type, m, n, k), bytes, 2.0 * m * n * k);
    }
  };

  private MmaGemm() {}

  /** The widest accesses that the problem allows, in the chosen tiles. */
  private static GemmConfig config(GemmProblem problem, Choice choice) {
    var widest = Gemm.configure(problem);
    // The addresses of single elements leave no registers for the larger tile.
    boolean single = widest.vectorA() == 1 || widest.vectorB() == 1;
    int tile = single || choice.text("tile").equals("64x64") ? 64 : 128;
    return new GemmConfig(widest.operand(), widest.output(), widest.aKMajor(), widest.bKMajor(), tile, tile, TILE_K,
        WARPS, WARPS, Integer.parseInt(choice.text("stages")), widest.vectorA(), widest.vectorB(), widest.vectorC(),
        Integer.parseInt(choice.text("band")));
  }
}
