package tilewright.sm90;

import java.util.List;
import tilewright.async.collective.ClusterShape;
import tilewright.kernel.Chip;
import tilewright.kernel.LaunchArguments;
import tilewright.kernel.Matrix;
import tilewright.kernel.PreparedLaunch;
import tilewright.kernels.Accumulation;
import tilewright.kernels.GemmProblem;
import tilewright.kernels.epilogue.EpilogueArguments;
import tilewright.numerics.ElementType;
import tilewright.sm90.Sm90GemmConfig.Operands;
import tilewright.sm90.Sm90GemmConfig.TileShape;
import tilewright.sm90.collective.OutputForm;

/**
 * The Hopper GEMM of narrow weights A and 16-bit activations B: C = alpha·Σ round(SA·A)·Bᵀ, where A has a scale
 * for each row and 128 of k. A is converted in registers: multiplied by its scale in FP32 and rounded to
 * B's type, as GPTQ's and AWQ's kernels do (Marlin; CUTLASS, example 55). Weights multiply from the left because only
 * {@code wgmma}'s A can come from registers; a column-major C is the usual activations × weights.
 *
 * @param problem of e4m3, e5m2 or i4 and bf16 or f16, with an accumulation that is {@link Accumulation#SCALED}; of i4
 *     two neighbours along k share a byte, the first has the low half, and strides count elements
 * @param scales (M, ⌈K/128⌉), neighbouring rows side by side and columns at multiples of 16 bytes, as in {@link
 *     ScaledGemm}
 */
public record MixedGemm(GemmProblem problem, Matrix scales) {
  private static final int DEPTH = 64;
  private static final int FEWEST = 16;
  private static final int ROWS = 64;
  private static final int BAND = 8;
  /** CTAs on an SM where few rows of B leave little to multiply: one converts while others wait. */
  private static final int RESIDENT = 4;
  private static final int MOST_NARROW = 64;
  private static final int MULTIPROCESSORS = Chip.H200.multiprocessors();
  private static final int SHARED_BYTES = 228 << 10;
  /** Bytes of shared memory that the system and barriers take of each CTA. */
  private static final int RESERVED_BYTES = 2 << 10;
  private static final int STORED_BYTES = 16 << 10;
  private static final int MOST_STAGES = 12;
  private static final int PACKED = 2;

  public MixedGemm {
    if (!problem.types().isMixed() || problem.types().accumulation() != Accumulation.SCALED) {
      throw new IllegalArgumentException("products " + problem.types()
          + " are not mixed: needed are e4m3, e5m2 or i4 by bf16 or f16 and the accumulation scaled");
    }
    if (problem.types().a() == ElementType.I4
        && (problem.a().rowStride() % PACKED != 0 || problem.a().batchStride() % PACKED != 0)) {
      throw new IllegalArgumentException("rows of i4 are " + problem.a().rowStride()
          + " elements apart: pad them to whole bytes");
    }
  }

  /** Scales in buffer "SA", neighbouring rows side by side, columns padded to 16 bytes. */
  public static MixedGemm packed(GemmProblem problem) {
    return new MixedGemm(problem, ScaledGemm.scalesByColumns(problem));
  }

  /** Prepares a launch. */
  public PreparedLaunch prepare() {
    return prepare(configure());
  }

  /** The configuration that should be fastest: the widest tile that B fills, and enough of them for all rows of A. */
  public Sm90GemmConfig configure() {
    if (!Sm90Gemms.isCopied(problem)) return Sm90Gemms.fetching(problem);
    if (problem.n() <= MOST_NARROW) {
      int width = Math.max(FEWEST, 2 * Integer.highestOneBit(problem.n() - 1));
      if (width == FEWEST) {
        int splits = tiles(ROWS, width) < MULTIPROCESSORS ? 2 : 1;
        return configure(1, width, 2 * DEPTH, new ClusterShape(1, 1, splits), RESIDENT);
      }
      int splits = tiles(ROWS, width) < 2 * MULTIPROCESSORS ? 4 : 2;
      return configure(1, width, DEPTH, new ClusterShape(1, 1, splits), width > 32 ? RESIDENT / 2 : RESIDENT);
    }
    int width = tiles(2 * ROWS, 256) >= MULTIPROCESSORS / 2 && problem.n() > 128 ? 256 : 128;
    return configure(2, width, DEPTH, new ClusterShape(tiles(2 * ROWS, width) > MULTIPROCESSORS ? 2 : 1, 1, 1), 1);
  }

  private long tiles(int rows, int columns) {
    return (long) Math.ceilDiv(problem.m(), rows) * Math.ceilDiv(problem.n(), columns) * problem.batch();
  }

  /** A tile of 64 rows for each consumer. */
  private Sm90GemmConfig configure(int consumers, int columns, int depth, ClusterShape cluster, int resident) {
    var types = problem.types();
    int rows = ROWS * consumers;
    var deepest = new Sm90GemmConfig(Operands.of(problem), new TileShape(rows, columns, depth), consumers, MOST_STAGES,
        cluster, BAND, resident, Variant.PLAIN);
    int stored = consumers * Math.min(STORED_BYTES,
        OutputForm.STAGES * ROWS * columns / cluster.splits() * types.output().bytes());
    int exchanged = cluster.splits() > 1 ? rows * columns * Float.BYTES : 0;
    int room = SHARED_BYTES / resident - RESERVED_BYTES - stored - exchanged;
    return deepest.withStages(Math.min(MOST_STAGES, room / deepest.stageBytes()));
  }

  /** Prepares a given configuration. */
  public PreparedLaunch prepare(Sm90GemmConfig config) {
    return Sm90Gemms.prepare(problem, config, EpilogueArguments.plain(problem),
        new Sm90Gemms.Inputs(Grouping.BATCH, 1, this::weights));
  }

  private void weights(LaunchArguments arguments) {
    arguments.tensor("SA", scales.argument(problem.m(), ScaledGemm.blocks(problem.k()), problem.batch()));
    if (problem.types().a() == ElementType.I4) arguments.tensor("A", bytes());
  }

  /** A's bytes. */
  private LaunchArguments.Tensor bytes() {
    var a = problem.a();
    return new LaunchArguments.Tensor(a.buffer(), a.offset(),
        List.of((long) problem.m(), (long) Math.ceilDiv(problem.k(), PACKED), (long) problem.batch()),
        List.of(a.rowStride() / PACKED, a.columnStride(), a.batchStride() / PACKED));
  }
}
