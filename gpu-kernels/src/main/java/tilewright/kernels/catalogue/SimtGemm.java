package tilewright.kernels.catalogue;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.stream.IntStream;
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
 * <p>Data path: global → {@code cp.async} → shared memory, {@code stages} tiles deep → registers, a column of A and a row
 * of B at a time → {@code fma}. Singles of A are transposed on the way, four bytes a copy: a thread then has neighbours
 * along m in neighbouring registers, so an {@code fma} finds its operands in different banks of the register file.
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
        int widest = 16 / type.bytes();
        int n = choice.number("n");
        int k = choice.number("k");
        boolean aligned = k % widest == 0 && n % widest == 0;
        var asked = Config.valueOf(choice.text("path").toUpperCase(Locale.ROOT));
        // What passes through registers one by one leaves too few for sixteen rows.
        var config = asked == Config.ASYNC && !aligned && type.bytes() < 4 ? Config.DOUBLE_BUFFER : asked;
        boolean wide = config != Config.SLICED && aligned;
        return product(new SimtGemm(type, config, wide ? widest : 1), Target.SM80, type, config.m, config.n,
            MatrixReference.sequential(type, choice.number("m"), n, k), choice);
      }
    };
  }

  /**
   * One element a thread; eight by eight; the same with two tiles under way; sixteen by eight with three.
   *
   * <p>Warps lie on the tile, lanes 4×8 on a warp's part. Neighbouring lanes read the same of B and every other pair the
   * same of A, so that 16-byte reads of shared memory take two passes, not four.
   */
  enum Config {
    SLICED(16, 16, 64, 1, 1, "((16,16),1):((16,1),0)", "((16,16),1):((16,1),0)"),
    TILED(64, 128, 64, 1, 3, Config.EIGHT_BY_EIGHT, Config.EIGHT_BY_EIGHT_ROWS),
    DOUBLE_BUFFER(64, 128, 64, 2, 3, Config.EIGHT_BY_EIGHT, Config.EIGHT_BY_EIGHT_ROWS),
    ASYNC(128, 256, 64, 3, 1, "((2,8,2,2,4),(4,2,4,4)):((4,512,8,64,8192),(128,4096,1,16))",
        "((2,8,2,2,4),(4,2,16)):((1,512,2,64,8192),(128,4096,4))");

    private static final String EIGHT_BY_EIGHT = "((2,8,2,2,2),(4,2,4,2)):((4,256,8,32,4096),(64,2048,1,16))";
    private static final String EIGHT_BY_EIGHT_ROWS = "((2,8,2,2,2),(4,2,8)):((1,256,2,32,4096),(64,2048,4))";

    private final int m;
    private final int n;
    private final int bytesK;
    private final int stages;
    private final int blocks;
    private final Partition columnwise;
    private final Partition rowwise;

    /**
     * @param blocks that share a multiprocessor
     * @param columnwise threads and values on the tile, where a thread reads columns of A: values in runs of four rows
     * @param rowwise the same where it reads rows of A
     */
    Config(int m, int n, int bytesK, int stages, int blocks, String columnwise, String rowwise) {
      this.m = m;
      this.n = n;
      this.bytesK = bytesK;
      this.stages = stages;
      this.blocks = blocks;
      this.columnwise = Partition.exact(Layout.parse(columnwise), m, n);
      this.rowwise = Partition.exact(Layout.parse(rowwise), m, n);
    }

    /** Neighbours that a thread has together along n, and where it reads columns of A along m. */
    private int run() {
      return this == SLICED ? 1 : 4;
    }

    private int columns() {
      return this == SLICED ? 1 : 8;
    }
  }

  @Override
  public String name() {
    return "simt_gemm_" + type.text() + "_" + config.name().toLowerCase(Locale.ROOT) + "_x" + vector;
  }

  @Override
  public void trace(Scope k) {
    var thread = k.block(threads().threads());
    if (vector > 1) k.blocksPerMultiprocessor(config.blocks);
    var a = tensor(k, "A", "M", "K");
    var b = tensor(k, "B", "K", "N");
    var c = tensor(k, "C", "M", "N");
    var zero = k.constant(0);
    var tile = TileScheduler.banded(k, c.extent(0).ceilDiv(config.m).max(1), c.extent(1).ceilDiv(config.n).max(1),
        BAND);
    var tilesA = k.shared(type, layoutA());
    var tilesB = k.shared(type, Layout.of(Layout.of(tileK(), config.n), Layout.of(config.n, 1),
        Layout.of(config.stages, (long) tileK() * config.n)));
    var ring = new TileRing(k, thread, threads().threads(), vector, a.tile(List.of(config.m), tile.m(), zero),
        tilesA, b.from(zero, tile.n().times(config.n)), tilesB);
    var sums = new ArrayList<F32.Accumulator>();
    for (int i = 0; i < threads().values(); i++) sums.add(k.accumulator());

    ring.run(a.extent(1), stage -> multiply(k, thread, tilesA, tilesB, stage, sums));
    store(k, thread, sums, c.tile(List.of(config.m, config.n), tile.m(), tile.n()));
  }

  /** Only copies of four bytes and more are asynchronous, so narrower elements are not transposed. */
  private boolean columnwise() {
    return type.bytes() >= 4;
  }

  private Partition threads() {
    return columnwise() ? config.columnwise : config.rowwise;
  }

  private int tileK() {
    return config.bytesK / type.bytes();
  }

  /** 16 bytes more a column or row, so that neighbours begin in different banks. */
  private Layout layoutA() {
    int pad = 16 / type.bytes();
    if (!columnwise()) return padded(config.m, tileK() + pad, tileK(), 1, config.m * (tileK() + pad));
    return padded(config.m, 1, tileK(), config.m + pad, tileK() * (config.m + pad));
  }

  private Layout padded(int m, int strideM, int k, int strideK, int strideStage) {
    return Layout.of(Layout.of(m, strideM), Layout.of(k, strideK), Layout.of(config.stages, strideStage));
  }

  private GlobalTensor tensor(Scope k, String name, String rows, String columns) {
    var spec = TensorSpec.of(name, type, rows, columns).contiguous(columns).aligned(vector);
    return k.global(name.equals("A") ? spec : spec.multipleOf(columns, vector));
  }

  private void multiply(Scope k, I32 thread, SharedTensor tilesA, SharedTensor tilesB, I32 stage,
      List<F32.Accumulator> sums) {
    // What is read of a row of A at once; of more rows, more would not leave registers for the rest.
    int step = columnwise() || config == Config.SLICED ? 1 : config == Config.ASYNC ? 4 : 8;
    for (int from = 0; from < tileK(); from += step) {
      var a = columnwise() ? List.of(column(k, thread, tilesA, stage, from))
          : rows(k, thread, tilesA, stage, from, step);
      for (int inner = 0; inner < step; inner++) {
        multiply(a.get(inner), row(k, thread, tilesB, stage, from + inner), sums);
      }
    }
  }

  /** To the right in one row and to the left in the next: what the turn keeps is not read from registers again. */
  private void multiply(List<F32> a, List<F32> b, List<F32.Accumulator> sums) {
    for (int i = 0; i < a.size(); i++) {
      for (int j = 0; j < b.size(); j++) {
        int column = i % 2 == 0 ? j : b.size() - 1 - j;
        sums.get(i * b.size() + column).fma(a.get(i), b.get(column));
      }
    }
  }

  /** What a thread needs of a row of B. */
  private List<F32> row(Scope k, I32 thread, SharedTensor tilesB, I32 stage, int row) {
    var factors = new ArrayList<F32>();
    for (int j = 0; j < config.columns(); j += config.run()) {
      var column = threads().coordinate(thread, j)[1];
      factors.addAll(tilesB.at(k.constant(row), column, stage).load(config.run()));
    }
    return factors;
  }

  /** What a thread needs of a column of A. */
  private List<F32> column(Scope k, I32 thread, SharedTensor tilesA, I32 stage, int column) {
    var factors = new ArrayList<F32>();
    for (int i = 0; i < threads().values(); i += config.columns() * config.run()) {
      var row = threads().coordinate(thread, i)[0];
      factors.addAll(tilesA.at(row, k.constant(column), stage).load(config.run()));
    }
    return factors;
  }

  /** What a thread needs of so many columns of A, read by rows. */
  private List<List<F32>> rows(Scope k, I32 thread, SharedTensor tilesA, I32 stage, int from, int columns) {
    var rows = new ArrayList<List<F32>>();
    for (int i = 0; i < threads().values(); i += config.columns()) {
      rows.add(tilesA.at(threads().coordinate(thread, i)[0], k.constant(from), stage).load(columns));
    }
    return IntStream.range(0, columns).mapToObj(j -> rows.stream().map(row -> row.get(j)).toList()).toList();
  }

  private void store(Scope k, I32 thread, List<F32.Accumulator> sums, GlobalTensor c) {
    int run = Math.min(config.run(), vector);
    for (int v = 0; v < sums.size(); v += run) {
      var element = c.at(threads().coordinate(thread, v));
      var results = sums.subList(v, v + run).stream().map(F32.Accumulator::value).toList();
      k.when(element.inside(), () -> element.store(results));
    }
  }
}
