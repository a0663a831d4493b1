package tilewright.kernels.gemm;

import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import tilewright.kernel.CompiledKernel;
import tilewright.kernel.LaunchArguments;
import tilewright.kernel.Matrix;
import tilewright.kernel.PreparedLaunch;
import tilewright.kernel.Target;
import tilewright.kernels.GemmProblem;
import tilewright.kernels.NaiveGemm;
import tilewright.kernels.epilogue.Epilogue;
import tilewright.kernels.epilogue.EpilogueArguments;
import tilewright.numerics.ElementType;
import tilewright.ptx.Dim3;

/** The host side of GEMM: from a problem to a configuration to a launch. */
public final class Gemm {
  private static final int WIDEST_COPY_BYTES = 16;
  /** Rows of C that CTAs work through together. */
  private static final int BAND_ROWS = 2048;

  private Gemm() {}

  /** Prepares the tensor-core kernel in the configuration that fits the problem. */
  public static PreparedLaunch sm80(GemmProblem problem) {
    return sm80(problem, configure(problem));
  }

  /** Prepares the tensor-core kernel in a given configuration. */
  public static PreparedLaunch sm80(GemmProblem problem, GemmConfig config) {
    var kernel = CompiledKernel.compile(new Sm80Gemm(config), Target.SM80);
    var arguments = matrices(kernel, problem).scalar("alpha", problem.alpha()).scalar("beta", problem.beta());
    return new PreparedLaunch(kernel, grid(problem, config), arguments.build());
  }

  /** Prepares the tensor-core kernel with another epilogue, in the configuration that fits the problem. */
  public static PreparedLaunch sm80(GemmProblem problem, EpilogueArguments epilogue) {
    return sm80(problem, configure(problem), epilogue);
  }

  /** Prepares the tensor-core kernel with another epilogue. */
  public static PreparedLaunch sm80(GemmProblem problem, GemmConfig config, EpilogueArguments epilogue) {
    epilogue.requireFor(problem);
    var gemm = new Sm80Gemm(config.storing(epilogue.neighbours()), Optional.of(epilogue.tree()));
    var kernel = CompiledKernel.compile(gemm, target(epilogue.tree()));
    var arguments = matrices(kernel, problem);
    epilogue.bind(arguments);
    return new PreparedLaunch(kernel, grid(problem, config), arguments.build());
  }

  /** SM80 cannot convert 8-bit floats. */
  private static Target target(Epilogue tree) {
    var types = Stream.of(tree.inputs().values(), tree.outputs().values(), List.of(tree.output()))
        .flatMap(Collection::stream);
    return types.anyMatch(t -> t == ElementType.E4M3 || t == ElementType.E5M2) ? Target.SM90A : Target.SM80;
  }

  private static LaunchArguments matrices(CompiledKernel kernel, GemmProblem problem) {
    return LaunchArguments.of(kernel)
        .tensor("A", problem.a().argument(problem.m(), problem.k(), problem.batch()))
        .tensor("B", problem.b().argument(problem.n(), problem.k(), problem.batch()))
        .tensor("C", problem.c().argument(problem.m(), problem.n(), problem.batch()));
  }

  private static Dim3 grid(GemmProblem problem, GemmConfig config) {
    int tilesM = Math.ceilDiv(problem.m(), config.tile().m());
    int tilesN = Math.ceilDiv(problem.n(), config.tile().n());
    return new Dim3(Math.multiplyExact(tilesM, tilesN), 1, problem.batch());
  }

  /**
   * Prepares the naive kernel; C is of f32, one batch entry, alpha 1 and beta 0.
   *
   * @throws IllegalArgumentException if the problem asks for more
   */
  public static PreparedLaunch naive(GemmProblem problem) {
    if (problem.batch() != 1 || problem.alpha() != 1 || problem.beta() != 0) {
      throw new IllegalArgumentException("the naive GEMM has no batch, alpha or beta; use the tensor-core GEMM");
    }
    if (problem.types().accumulator() == ElementType.F16) {
      throw new IllegalArgumentException("the naive GEMM accumulates in f32; use the tensor-core GEMM");
    }
    if (problem.output() != ElementType.F32) {
      throw new IllegalArgumentException("the naive GEMM stores f32, not " + problem.output().text()
          + "; use the tensor-core GEMM");
    }
    var kernel = CompiledKernel.compile(new NaiveGemm(problem.operand()), Target.SM80);
    var arguments = LaunchArguments.of(kernel)
        .tensor("A", problem.a().argument(problem.m(), problem.k()))
        .tensor("B", problem.b().argument(problem.n(), problem.k()))
        .tensor("C", problem.c().argument(problem.m(), problem.n()));
    var grid = Dim3.of(Math.ceilDiv(problem.m(), NaiveGemm.TILE.get(0)),
        Math.ceilDiv(problem.n(), NaiveGemm.TILE.get(1)));
    return new PreparedLaunch(kernel, grid, arguments.build());
  }

  /** The configuration for a problem: the largest tiles that still fill a GPU, the widest accesses that are aligned. */
  public static GemmConfig configure(GemmProblem problem) {
    return configure(problem, true);
  }

  /** The configuration for a problem, but for any strides: an exported kernel meets others. */
  public static GemmConfig configureForAnyStrides(GemmProblem problem) {
    return configure(problem, false);
  }

  private static GemmConfig configure(GemmProblem problem, boolean fitting) {
    long tiles = (long) Math.ceilDiv(problem.m(), 128) * Math.ceilDiv(problem.n(), 128) * problem.batch();
    boolean bothAlongK = problem.a().isRowMajor() && problem.b().isRowMajor();
    boolean onlyA = problem.a().isRowMajor() && !problem.b().isRowMajor();
    var wide = configure(problem, fitting,
        onlyA ? tile(256, 128, 64, 4, 2, 3) : tile(128, 256, 64, 2, 4, 3));
    // Measured on an H200: wide tiles are fastest, but where an operand is transposed on its way to registers there are
    // enough of these only if the kernel is made for the problem's strides.
    if (tiles >= 256 && (wide.fit().isPresent() || bothAlongK)) return wide;
    return configure(problem, fitting,
        tiles >= 16 ? tile(128, 128, 32, 2, 2, 4) : tile(64, 64, 32, 2, 2, 4));
  }

  private static GemmConfig configure(GemmProblem problem, boolean fitting, GemmConfig.Tile tile) {
    boolean aKMajor = problem.a().isRowMajor();
    boolean bKMajor = problem.b().isRowMajor();
    int vectorA = width(problem.a(), aKMajor, problem.operand().bytes());
    int vectorB = width(problem.b(), bKMajor, problem.operand().bytes());
    var operands = new GemmConfig.Operands(problem.operand(), problem.output(), problem.types().accumulator(), aKMajor,
        bKMajor);
    var config = new GemmConfig(operands, tile, new GemmConfig.Vectors(vectorA, vectorB, vectorC(problem, bKMajor)));
    return fitting ? config.fitting(problem) : config;
  }

  private static int vectorC(GemmProblem problem, boolean bKMajor) {
    if (problem.c().columnStride() != 1) return 1;
    int bytes = problem.output().bytes();
    int most = WIDEST_COPY_BYTES / bytes;
    int vector = problem.c().alignment(true, bytes, Integer.lowestOneBit(problem.n() | most));
    // Where B's neighbours run along n, lanes have to trade for them, and can trade only eight, of 16 bits.
    return bKMajor || vector == 8 ? vector : Math.min(2, vector);
  }

  private static GemmConfig.Tile tile(int m, int n, int k, int warpsM, int warpsN, int stages) {
    return new GemmConfig.Tile(m, n, k, warpsM, warpsN, stages, BAND_ROWS / m);
  }

  private static int width(Matrix matrix, boolean kMajor, int bytes) {
    if (matrix.columnStride() != 1 && matrix.rowStride() != 1) return 1;
    return matrix.alignment(kMajor, bytes, WIDEST_COPY_BYTES / bytes);
  }
}
