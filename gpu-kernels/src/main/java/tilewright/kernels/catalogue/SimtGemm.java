package tilewright.kernels.catalogue;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import tilewright.kernel.F32;
import tilewright.kernel.GlobalTensor;
import tilewright.kernel.I32;
import tilewright.kernel.Kernel;
import tilewright.kernel.Partition;
import tilewright.kernel.Scope;
import tilewright.kernel.SharedTensor;
import tilewright.kernel.Target;
import tilewright.kernel.TensorSpec;
import tilewright.kernel.collective.TileRing;
import tilewright.kernel.collective.TileScheduler;
import tilewright.layout.Layout;
import tilewright.numerics.ElementType;
import tilewright.reference.MatrixReference;

/**
 * C (M,N) = A (M,K) · B (K,N), rows contiguous in all three, without tensor cores: one fused multiply-add after the
 * other along k in single precision, rounded once at the end. NaNs and infinities as in that sum.
 *
 * @param config tile and ring
 * @param vector elements of one copy: 16 bytes where both strides allow it, else 1
 */
record SimtGemm(ElementType type, Config config, int vector) implements Kernel {
  /** Tile rows that CTAs work through together, for L2. */
  private static final int BAND = 8;

  static Family singles() {
    return family("sgemm", ElementType.F32);
  }

  static Family halves() {
    return family("hgemm", ElementType.F16);
  }

  private static Family family(String name, ElementType type) {
    var paths = Arrays.stream(Config.values()).map(c -> c.name().toLowerCase(Locale.ROOT)).sorted()
        .toArray(String[]::new);
    return new GemmFamily(name, "C (M,N) = A (M,K) · B (K,N) of " + type.text()
        + " without tensor cores, summed in f32", List.of(Setting.option("path", paths))) {
      @Override
      public Workload workload(Choice choice) {
        var config = Config.valueOf(choice.text("path").toUpperCase(Locale.ROOT));
        int widest = 16 / type.bytes();
        int n = choice.number("n");
        int k = choice.number("k");
        boolean wide = config != Config.SLICED && k % widest == 0 && n % widest == 0;
        return product(new SimtGemm(type, config, wide ? widest : 1), Target.SM80, type, config.m, config.n,
            MatrixReference.sequential(type, choice.number("m"), n, k), choice);
      }
    };
  }

  /** One element a thread; eight by eight; the same with two and with four tiles under way. */
  enum Config {
    SLICED(16, 16, 64, 1, "((16,16),1):((16,1),0)"),
    TILED(128, 128, 32, 1, Config.EIGHT_BY_EIGHT),
    DOUBLE_BUFFER(128, 128, 32, 2, Config.EIGHT_BY_EIGHT),
    ASYNC(128, 128, 32, 4, Config.EIGHT_BY_EIGHT);

    /**
     * Lanes lie 4×8 on a warp's 32×64, warps 4×2 on the tile. A thread has every fourth row, and of every 32 columns
     * four neighbours, so that reads of shared memory meet every bank once.
     */
    private static final String EIGHT_BY_EIGHT = "((8,4,4,2),(4,2,8)):((512,1,32,8192),(128,4096,4))";

    private final int m;
    private final int n;
    private final int bytesK;
    private final int stages;
    private final Partition threads;

    Config(int m, int n, int bytesK, int stages, String threads) {
      this.m = m;
      this.n = n;
      this.bytesK = bytesK;
      this.stages = stages;
      this.threads = Partition.exact(Layout.parse(threads), m, n);
    }

    /** Neighbours along n that a thread has together. */
    private int run() {
      return this == SLICED ? 1 : 4;
    }

    private int runs() {
      return this == SLICED ? 1 : 2;
    }

    private int rows() {
      return this == SLICED ? 1 : 8;
    }
  }

  @Override
  public String name() {
    return "simt_gemm_" + type.text() + "_" + config.name().toLowerCase(Locale.ROOT) + "_x" + vector;
  }

  @Override
  public void trace(Scope k) {
    var thread = k.block(config.threads.threads());
    if (vector > 1 && config.stages > 1) k.blocksPerMultiprocessor(2);
    var a = tensor(k, "A", "M", "K");
    var b = tensor(k, "B", "K", "N");
    var c = tensor(k, "C", "M", "N");
    var zero = k.constant(0);
    var tile = TileScheduler.banded(k, c.extent(0).ceilDiv(config.m).max(1), c.extent(1).ceilDiv(config.n).max(1),
        BAND);
    // 16 bytes more a row, so that four rows begin in different banks.
    int rowA = tileK() + 16 / type.bytes();
    var tilesA = k.shared(type, Layout.of(Layout.of(config.m, rowA), Layout.of(tileK(), 1),
        Layout.of(config.stages, (long) config.m * rowA)));
    var tilesB = k.shared(type, Layout.of(Layout.of(tileK(), config.n), Layout.of(config.n, 1),
        Layout.of(config.stages, (long) tileK() * config.n)));
    var ring = new TileRing(k, thread, config.threads.threads(), vector, a.tile(List.of(config.m), tile.m(), zero),
        tilesA, b.from(zero, tile.n().times(config.n)), tilesB);
    var sums = new ArrayList<F32.Accumulator>();
    for (int i = 0; i < config.threads.values(); i++) sums.add(k.accumulator());

    ring.run(a.extent(1), stage -> multiply(k, thread, tilesA, tilesB, stage, sums));
    store(k, thread, sums, c.tile(List.of(config.m, config.n), tile.m(), tile.n()));
  }

  private int tileK() {
    return config.bytesK / type.bytes();
  }

  private GlobalTensor tensor(Scope k, String name, String rows, String columns) {
    var spec = TensorSpec.of(name, type, rows, columns).contiguous(columns).aligned(vector);
    return k.global(name.equals("A") ? spec : spec.multipleOf(columns, vector));
  }

  private void multiply(Scope k, I32 thread, SharedTensor tilesA, SharedTensor tilesB, I32 stage,
      List<F32.Accumulator> sums) {
    // What is read of A at once; more singles would not leave registers for a second block.
    int step = config == Config.SLICED ? 1 : type == ElementType.F32 ? 2 : 8;
    int perRow = config.run() * config.runs();
    for (int from = 0; from < tileK(); from += step) {
      var rows = new ArrayList<List<F32>>();
      for (int i = 0; i < config.rows(); i++) {
        var row = config.threads.coordinate(thread, i * perRow)[0];
        rows.add(tilesA.at(row, k.constant(from), stage).load(step));
      }
      for (int inner = 0; inner < step; inner++) {
        var columns = new ArrayList<F32>();
        for (int j = 0; j < config.runs(); j++) {
          var column = config.threads.coordinate(thread, j * config.run())[1];
          columns.addAll(tilesB.at(k.constant(from + inner), column, stage).load(config.run()));
        }
        for (int i = 0; i < config.rows(); i++) {
          for (int j = 0; j < perRow; j++) sums.get(i * perRow + j).fma(rows.get(i).get(inner), columns.get(j));
        }
      }
    }
  }

  private void store(Scope k, I32 thread, List<F32.Accumulator> sums, GlobalTensor c) {
    int run = Math.min(config.run(), vector);
    for (int v = 0; v < sums.size(); v += run) {
      var element = c.at(config.threads.coordinate(thread, v));
      var results = sums.subList(v, v + run).stream().map(F32.Accumulator::value).toList();
      k.when(element.inside(), () -> element.store(results));
    }
  }
}
