package tilewright.sm120;

import tilewright.kernel.CompiledKernel;
import tilewright.kernel.LaunchArguments;
import tilewright.kernel.PreparedLaunch;
import tilewright.kernel.Target;
import tilewright.kernels.GemmProblem;
import tilewright.kernels.epilogue.EpilogueArguments;
import tilewright.ptx.Dim3;
import tilewright.sm100.NarrowGemm;
import tilewright.sm100.UmmaTypes;

/**
 * The host side of block-scaled products on SM120: problems, buffers and epilogues are those of {@link NarrowGemm}, of
 * operands along k.
 */
public final class Sm120NarrowGemm {
  private static final int TILE = 128;
  private static final int BAND = 16;
  private static final int PAIR = 2;

  private Sm120NarrowGemm() {}

  /**
   * Prepares a product.
   *
   * @param problem as {@link NarrowGemm#problem} makes it
   * @param k elements of a row
   * @throws IllegalArgumentException if an operand lies along m or n, or the types have no such instruction
   */
  public static PreparedLaunch prepare(UmmaTypes types, GemmProblem problem, int k, EpilogueArguments epilogue) {
    if (problem.a().columnStride() != 1 || problem.b().columnStride() != 1) {
      throw new IllegalArgumentException("operands along m or n: block-scaled operands lie along k on SM120");
    }
    epilogue.requireFor(problem);
    var config = configure(types, Math.min(neighbours(problem), epilogue.neighbours()));
    var kernel = CompiledKernel.compile(new Sm120Gemm(config, epilogue.tree()), Target.SM120A);
    var arguments = LaunchArguments.of(kernel)
        .tensor("A", problem.a().argument(problem.m(), problem.k(), problem.batch()))
        .tensor("B", problem.b().argument(problem.n(), problem.k(), problem.batch()))
        .tensor("C", problem.c().argument(problem.m(), problem.n(), problem.batch()));
    NarrowGemm.bindScales(arguments, types, problem, k);
    epilogue.bind(arguments);
    int tiles = Math.multiplyExact(Math.ceilDiv(problem.m(), TILE), Math.ceilDiv(problem.n(), TILE));
    return new PreparedLaunch(kernel, new Dim3(tiles, 1, problem.batch()), arguments.build());
  }

  /** Neighbours of C along n that one store can write. */
  private static int neighbours(GemmProblem problem) {
    if (problem.c().columnStride() != 1) return 1;
    return problem.c().alignment(true, problem.output().bytes(), Integer.lowestOneBit(problem.n() | PAIR));
  }

  /** Tiles that fill the 99 KiB of shared memory of a CTA; an 8-bit row of a stage is as long as a tile of scales. */
  private static Sm120GemmConfig configure(UmmaTypes types, int neighbours) {
    boolean bytes = types.kind().perContainer() == 1;
    return new Sm120GemmConfig(types, TILE, TILE, bytes ? 128 : 64, 2, 4, bytes ? 3 : 5, BAND, neighbours);
  }
}
