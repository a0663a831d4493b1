package tilewright.sm90.ladder;

import java.util.function.Function;
import tilewright.kernel.CompiledKernel;
import tilewright.kernel.Kernel;
import tilewright.kernel.LaunchArguments;
import tilewright.kernel.PreparedLaunch;
import tilewright.kernel.Target;
import tilewright.kernels.GemmProblem;
import tilewright.kernels.gemm.Gemm;
import tilewright.numerics.ElementType;
import tilewright.ptx.Dim3;
import tilewright.sm90.Sm90Gemms;

/** The steps from a naive to a fast GEMM, C = A·Bᵀ of bf16, one idea per step. */
public enum LadderStep {
  NAIVE("one thread an element", LadderStep::naive),
  SHARED_TILES("tiles in shared memory", p -> tiled(p, new TiledGemm(1))),
  REGISTER_TILES("8 × 8 elements a thread", p -> tiled(p, new TiledGemm(8))),
  TENSOR_CORES("mma.sync, cp.async ring", Gemm::sm80),
  WGMMA("wgmma and TMA, one stage", p -> blocks(p, new OneStageGemm(), Tile.M, 1)),
  PIPELINED("a ring of stages", p -> blocks(p, new PipelinedGemm(), Tile.M, 1)),
  WARP_ROLES("a warpgroup that only copies", p -> roles(p, new WarpRolesGemm(1, 1))),
  TWO_CONSUMERS("two warpgroups that multiply", p -> roles(p, new WarpRolesGemm(2, 1))),
  MULTICAST("two CTAs share tiles of B", p -> roles(p, new WarpRolesGemm(2, 2))),
  PERSISTENT("CTAs stay, stores overlap", p -> Sm90Gemms.prepare(p, Sm90Gemms.configure(p, "128x256x2")));

  private final String idea;
  private final Function<GemmProblem, PreparedLaunch> prepare;

  LadderStep(String idea, Function<GemmProblem, PreparedLaunch> prepare) {
    this.idea = idea;
    this.prepare = prepare;
  }

  /** The idea that is new in this step, in a few words. */
  public String idea() {
    return idea;
  }

  /** Counted from 1. */
  public int number() {
    return ordinal() + 1;
  }

  /** The step of a number. */
  public static LadderStep of(int number) {
    if (number < 1 || number > values().length) {
      throw new IllegalArgumentException("invalid step " + number + ": 1 to " + values().length);
    }
    return values()[number - 1];
  }

  /** Whether the products are summed one after the other along k, without tensor cores. */
  public boolean isSequential() {
    return this == NAIVE || this == SHARED_TILES || this == REGISTER_TILES;
  }

  /** The problem of these extents, packed; the naive kernel's C is of FP32. */
  public GemmProblem problem(int m, int n, int k) {
    return GemmProblem.packed(ElementType.BF16, this == NAIVE ? ElementType.F32 : ElementType.BF16, m, n, k, 1, "TN");
  }

  /** Prepares the step's kernel for a {@link #problem}. */
  public PreparedLaunch prepare(GemmProblem problem) {
    return prepare.apply(problem);
  }

  private static PreparedLaunch naive(GemmProblem problem) {
    return Gemm.naive(problem);
  }

  private static PreparedLaunch tiled(GemmProblem p, TiledGemm kernel) {
    var compiled = CompiledKernel.compile(kernel, Target.SM80);
    var arguments = LaunchArguments.of(compiled).tensor("A", p.a().argument(p.m(), p.k()))
        .tensor("B", p.b().argument(p.n(), p.k())).tensor("C", p.c().argument(p.m(), p.n()));
    return new PreparedLaunch(compiled, Dim3.of(Math.ceilDiv(p.m(), kernel.tile()), Math.ceilDiv(p.n(), kernel.tile())),
        arguments.build());
  }

  private static PreparedLaunch roles(GemmProblem problem, WarpRolesGemm kernel) {
    return blocks(problem, kernel, kernel.rows(), kernel.cluster());
  }

  /** One CTA a tile of so many rows, whole clusters. */
  private static PreparedLaunch blocks(GemmProblem p, Kernel kernel, int rows, int cluster) {
    var compiled = CompiledKernel.compile(kernel, Target.SM90A);
    var arguments = LaunchArguments.of(compiled).tensor("A", p.a().argument(p.m(), p.k(), 1))
        .tensor("B", p.b().argument(p.n(), p.k(), 1)).tensor("C", p.c().argument(p.m(), p.n(), 1))
        .scalar("alpha", 1);
    int tiles = Math.ceilDiv(p.m(), rows * cluster) * cluster * Math.ceilDiv(p.n(), Tile.N);
    return new PreparedLaunch(compiled, Dim3.of(tiles), arguments.build());
  }
}
