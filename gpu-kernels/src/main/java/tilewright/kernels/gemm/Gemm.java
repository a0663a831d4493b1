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
import tilewright.kernel.collective.SplitK;
import tilewright.kernels.GemmProblem;
import tilewright.kernels.NaiveGemm;
import tilewright.kernels.epilogue.Epilogue;
import tilewright.kernels.epilogue.EpilogueArguments;
import tilewright.numerics.ElementType;
import tilewright.ptx.Dim3;
import tilewright.ptx.Multiprocessor;

/** The host side of GEMM: from a problem to a configuration to a launch. */
public final class Gemm {
  private static final int WIDEST_COPY_BYTES = 16;
  private static final int LEAST_COPY_BYTES = 4;
  /** Rows of C that CTAs work through together. */
  private static final int BAND_ROWS = 2048;
  /** Stages of 128×128 tiles of 8-bit operands: two CTAs share the 100 KiB of an SM89's or SM120's shared memory. */
  private static final int BYTE_STAGES = 3;

  /** The most parts of k, beyond which adding them takes longer than it saves. */
  private static final int MOST_SPLITS = 16;
  /** Tiles of k that a CTA has at least where k is divided by {@link #splits}. */
  private static final int LEAST_TILES = 8;

  private Gemm() {}

  /** Prepares the tensor-core kernel in the configuration that fits the problem, in tiles that an A100 holds. */
  public static PreparedLaunch sm80(GemmProblem problem) {
    return sm80(problem, configure(problem));
  }

  /** Prepares the tensor-core kernel in a given configuration. */
  public static PreparedLaunch sm80(GemmProblem problem, GemmConfig config) {
    return sm80(problem, config, 1);
  }

  /** Prepares the tensor-core kernel with at most this number of CTAs that share the k of a tile. */
  public static PreparedLaunch sm80(GemmProblem problem, GemmConfig config, int splits) {
    var gemm = new Sm80Gemm(config, Optional.empty(), parts(problem, config, splits));
    var kernel = CompiledKernel.compile(gemm, target(config, Stream.of(problem.output())));
    return launch(problem, gemm, matrices(kernel, problem).scalar("alpha", problem.alpha())
        .scalar("beta", problem.beta()), kernel);
  }

  private static PreparedLaunch launch(GemmProblem problem, Sm80Gemm gemm, LaunchArguments arguments,
      CompiledKernel kernel) {
    var grid = grid(problem, gemm.config());
    if (gemm.splits() == 1) return new PreparedLaunch(kernel, grid, arguments.build());
    var scratch = SplitK.scratch(gemm.splits(), gemm.config().threads(), Sm80Gemm.quads(gemm.config()), grid.x(),
        grid.z());
    scratch.forEach(part -> arguments.tensor(part.name(), part.tensor()));
    return new PreparedLaunch(kernel, new Dim3(grid.x(), gemm.splits(), grid.z()), arguments.build(), scratch);
  }

  private static int parts(GemmProblem problem, GemmConfig config, int splits) {
    if (splits < 1) throw new IllegalArgumentException("k is divided into " + splits + " parts: 1 or more");
    return SplitK.parts(problem.k(), config.tile().k(), splits);
  }

  /**
   * The number of CTAs that share the k of a tile, so that all tiles fill a GPU once; each CTA has enough of k to make
   * up for the workspace.
   *
   * @param multiprocessors of the GPU
   */
  public static int splits(GemmProblem problem, GemmConfig config, int multiprocessors) {
    var grid = grid(problem, config);
    int tiles = Math.max(1, Math.multiplyExact(grid.x(), grid.z()));
    int most = Math.min(MOST_SPLITS, problem.k() / (LEAST_TILES * config.tile().k()));
    return Math.clamp(multiprocessors / tiles, 1, Math.max(1, most));
  }

  /** Prepares the tensor-core kernel with another epilogue, in the configuration that fits the problem. */
  public static PreparedLaunch sm80(GemmProblem problem, EpilogueArguments epilogue) {
    return sm80(problem, configure(problem), epilogue);
  }

  /** Prepares the tensor-core kernel with another epilogue. */
  public static PreparedLaunch sm80(GemmProblem problem, GemmConfig config, EpilogueArguments epilogue) {
    return sm80(problem, config, epilogue, 1);
  }

  /** Prepares it with at most this number of CTAs that share the k of a tile. */
  public static PreparedLaunch sm80(GemmProblem problem, GemmConfig config, EpilogueArguments epilogue, int splits) {
    epilogue.requireFor(problem);
    // An epilogue that reads C declares it with strides that it does not know.
    var stored = epilogue.tree().inputs().containsKey("C") ? config.forAnyStrides() : config;
    var gemm = new Sm80Gemm(stored.storing(epilogue.neighbours()), Optional.of(epilogue.tree()),
        parts(problem, config, splits));
    var kernel = CompiledKernel.compile(gemm, target(config, types(epilogue.tree())));
    var arguments = matrices(kernel, problem);
    epilogue.bind(arguments);
    return launch(problem, gemm, arguments, kernel);
  }

  private static Stream<ElementType> types(Epilogue tree) {
    return Stream.of(tree.inputs().values(), tree.outputs().values(), List.of(tree.output()))
        .flatMap(Collection::stream);
  }

  /** SM80 neither multiplies nor converts 8-bit floats. */
  private static Target target(GemmConfig config, Stream<ElementType> epilogue) {
    return config.operands().ofBytes() || epilogue.anyMatch(t -> t.bits() == Byte.SIZE) ? Target.SM89 : Target.SM80;
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
    return configure(problem, oldest(problem));
  }

  /**
   * The configuration for a problem in tiles that a CTA of a GPU holds.
   *
   * @param capability the GPU's compute capability times ten, such as 90
   */
  public static GemmConfig configure(GemmProblem problem, int capability) {
    return configure(problem, capability, true);
  }

  /** The oldest GPU that has the problem's tensor cores. */
  private static int oldest(GemmProblem problem) {
    return (problem.types().a().bits() == Byte.SIZE ? Target.SM89 : Target.SM80).capability();
  }

  /** The configuration for a problem, but for any strides: an exported kernel meets others. */
  public static GemmConfig configureForAnyStrides(GemmProblem problem) {
    return configureForAnyStrides(problem, oldest(problem));
  }

  /** Like {@link #configureForAnyStrides(GemmProblem)}, in tiles that a CTA of a GPU holds. */
  public static GemmConfig configureForAnyStrides(GemmProblem problem, int capability) {
    return configure(problem, capability, false);
  }

  private static GemmConfig configure(GemmProblem problem, int capability, boolean fitting) {
    if (problem.types().a().bits() == Byte.SIZE) return ofBytes(problem, capability, fitting);
    int held = Multiprocessor.of(capability).ctaSharedBytes();
    return candidates(problem, fitting).filter(config -> config.sharedBytes() <= held).findFirst().orElseThrow();
  }

  /** The configurations for a problem of 16-bit operands, best first; the last is small enough for every GPU. */
  private static Stream<GemmConfig> candidates(GemmProblem problem, boolean fitting) {
    long tiles = tiles(problem);
    boolean bothAlongK = problem.a().isRowMajor() && problem.b().isRowMajor();
    boolean onlyA = problem.a().isRowMajor() && !problem.b().isRowMajor();
    var wide = configure(problem, fitting,
        onlyA ? tile(256, 128, 64, 4, 2, 3) : tile(128, 256, 64, 2, 4, 3));
    var square = configure(problem, fitting, tile(128, 128, 32, 2, 2, 4));
    // The addresses of narrow copies leave no registers for as many accumulators.
    if (isNarrow(square)) square = configure(problem, fitting, tile(128, 128, 32, 2, 4, 4));
    var small = configure(problem, fitting, tile(64, 64, 32, 2, 2, 4));
    // Measured on an H200: wide tiles are fastest, but where an operand is transposed on its way to registers there are
    // enough of these only if the kernel is made for the problem's strides.
    if (tiles >= 256 && !isNarrow(wide) && (wide.fit().isPresent() || bothAlongK)) return Stream.of(wide, square);
    return Stream.of(tiles >= 16 ? square : small);
  }

  private static long tiles(GemmProblem problem) {
    return (long) Math.ceilDiv(problem.m(), 128) * Math.ceilDiv(problem.n(), 128) * problem.batch();
  }

  /**
   * The configuration of 8-bit operands. The addresses of narrow copies leave no registers for the larger tile, nor do
   * conversions leave any for as many accumulators where tensor cores multiply halves instead: from SM90 to SM119.
   */
  private static GemmConfig ofBytes(GemmProblem problem, int capability, boolean fitting) {
    boolean converted = capability > Target.SM89.capability() && capability < Target.SM120.capability();
    var square = configure(problem, fitting, tile(128, 128, 64, 2, converted ? 4 : 2, BYTE_STAGES));
    return tiles(problem) >= 16 && !isNarrow(square) ? square
        : configure(problem, fitting, tile(64, 64, 64, 4, 2, 4));
  }

  private static boolean isNarrow(GemmConfig config) {
    return Math.min(config.vectors().a(), config.vectors().b()) * config.operands().a().bytes() < WIDEST_COPY_BYTES;
  }

  private static GemmConfig configure(GemmProblem problem, boolean fitting, GemmConfig.Tile tile) {
    boolean aKMajor = problem.a().isRowMajor();
    boolean bKMajor = problem.b().isRowMajor();
    var types = problem.types();
    var operands = new GemmConfig.Operands(types.a(), types.b(), types.output(), types.accumulator(), aKMajor, bKMajor);
    int vectorA = operands.sharedAAlongK() == aKMajor ? width(problem.a(), aKMajor, types.a().bytes()) : 1;
    int vectorB = operands.sharedBAlongK() == bKMajor ? width(problem.b(), bKMajor, types.b().bytes()) : 1;
    var config = new GemmConfig(operands, tile,
        new GemmConfig.Vectors(vectorA, vectorB, vectorC(problem, operands.sharedBAlongK())));
    return fitting ? config.fitting(problem) : config;
  }

  private static int vectorC(GemmProblem problem, boolean bAlongK) {
    if (problem.c().columnStride() != 1) return 1;
    int bytes = problem.output().bytes();
    int most = WIDEST_COPY_BYTES / bytes;
    int vector = problem.c().alignment(true, bytes, Integer.lowestOneBit(problem.n() | most));
    // Where B's neighbours run along n, lanes have to trade for them, and can trade only eight, of 16 bits.
    return bAlongK || vector == 8 ? vector : Math.min(2, vector);
  }

  private static GemmConfig.Tile tile(int m, int n, int k, int warpsM, int warpsN, int stages) {
    return new GemmConfig.Tile(m, n, k, warpsM, warpsN, stages, BAND_ROWS / m);
  }

  private static int width(Matrix matrix, boolean kMajor, int bytes) {
    if (matrix.columnStride() != 1 && matrix.rowStride() != 1) return 1;
    int most = matrix.alignment(kMajor, bytes, WIDEST_COPY_BYTES / bytes);
    return most * bytes < LEAST_COPY_BYTES ? 1 : most;
  }
}
