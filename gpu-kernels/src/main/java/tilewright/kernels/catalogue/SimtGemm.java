package tilewright.kernels.catalogue;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import tilewright.kernel.GlobalTensor;
import tilewright.kernel.I32;
import tilewright.kernel.Kernel;
import tilewright.kernel.Partition;
import tilewright.kernel.Scope;
import tilewright.kernel.SharedTensor;
import tilewright.kernel.Target;
import tilewright.kernel.TensorSpec;
import tilewright.kernel.Vector;
import tilewright.kernel.collective.TileRing;
import tilewright.kernel.collective.OutputTile;
import tilewright.kernels.registry.Choice;
import tilewright.kernels.registry.Family;
import tilewright.kernels.registry.Setting;
import tilewright.kernels.registry.Workload;
import tilewright.layout.Layout;
import tilewright.numerics.ElementType;
import tilewright.reference.MatrixReference;

/**
 * C (M,N) = A (M,K) · B (K,N), rows contiguous in all three, without tensor cores: one fused multiply-add after the
 * other along k in the accumulator's type, rounded once at the end. NaNs and infinities as in that sum.
 *
 * <p>Data path: global → {@code cp.async} → shared memory, {@code stages} tiles deep → registers, a column of A
 * and a row of B at a time → {@code fma}, of f16 accumulators two neighbours along n at once. FP32 numbers of A are
 * transposed on the way, four bytes a copy: a thread then has neighbours along m in neighbouring registers, which lie
 * in different banks of the register file. {@code naive} reads global memory for every product.
 *
 * @param config tile and ring
 * @param depth columns of A in a tile
 * @param padded whether rows in shared memory are 16 bytes longer than the tile
 * @param vector elements of one copy: as many bytes as chosen where both strides allow it, else 1
 */
record SimtGemm(ElementType type, ElementType accumulator, Config config, int depth, boolean padded, int vector)
    implements Kernel {
  /** Tile rows that CTAs work through together, for L2. */
  private static final int BAND = 8;
  private static final int WIDEST_BYTES = 16;

  static final List<Family> FAMILIES = List.of(
      family("sgemm", ElementType.F32, List.of(ElementType.F32)),
      family("hgemm", ElementType.F16, List.of(ElementType.F32, ElementType.F16)));

  private static Family family(String name, ElementType type, List<ElementType> accumulators) {
    return new GemmFamily(name, "C (M,N) = A (M,K) · B (K,N) of " + type.text() + " without tensor cores, summed in "
        + accumulators.stream().map(ElementType::text).collect(Collectors.joining(" or ")), List.of(
            Setting.option("path", "async", "double_buffer", "sliced", "tiled", "naive"),
            Setting.types("acc", accumulators.toArray(ElementType[]::new)))) {
      /** Columns of A in a tile, bytes of a copy, and whether rows in shared memory are padded. */
      @Override
      List<Setting> tunings() {
        return List.of(new Setting("depth", List.of(Setting.AUTO, "8", "16", "32"), Setting.Kind.TUNING),
            new Setting("vec", List.of("16", "8", "4"), Setting.Kind.TUNING),
            new Setting("pad", List.of("yes", "no"), Setting.Kind.TUNING));
      }

      @Override
      public Workload workload(Choice choice) {
        int widest = choice.vector("vec", type);
        int n = choice.number("n");
        int k = choice.number("k");
        boolean aligned = k % widest == 0 && n % widest == 0;
        var asked = Config.valueOf(choice.text("path").toUpperCase(Locale.ROOT));
        // What passes through registers one by one leaves too few for sixteen rows.
        var config = asked == Config.ASYNC && !aligned && type.bytes() < 4 ? Config.DOUBLE_BUFFER : asked;
        boolean wide = config.run() > 1 && aligned;
        var accumulator = choice.type("acc");
        var kernel = new SimtGemm(type, accumulator, config, choice.tuned("depth", config.bytesK / type.bytes()),
            choice.text("pad").equals("yes"), wide ? widest : 1);
        return product(kernel, Target.SM80, type, config.m, config.n,
            MatrixReference.sequential(type, accumulator, choice.number("m"), n, k), choice);
      }
    };
  }

  /**
   * One element per thread, without shared memory and with it; eight by eight; the same with two tiles under way;
   * sixteen by eight with three.
   *
   * <p>Warps lie on the tile, lanes 4×8 on a warp's part. Neighbouring lanes read the same of B and every other pair
   * the same of A, so that 16-byte reads of shared memory take two passes, not four.
   */
  enum Config {
    NAIVE(16, 16, 64, 1, 1, Config.ONE_BY_ONE, Config.ONE_BY_ONE),
    SLICED(16, 16, 64, 1, 1, Config.ONE_BY_ONE, Config.ONE_BY_ONE),
    TILED(64, 128, 64, 1, 3, Config.EIGHT_BY_EIGHT, Config.EIGHT_BY_EIGHT_ROWS),
    DOUBLE_BUFFER(64, 128, 64, 2, 3, Config.EIGHT_BY_EIGHT, Config.EIGHT_BY_EIGHT_ROWS),
    ASYNC(128, 256, 64, 3, 1, "((2,8,2,2,4),(4,2,4,4)):((4,512,8,64,8192),(128,4096,1,16))",
        "((2,8,2,2,4),(4,2,16)):((1,512,2,64,8192),(128,4096,4))");

    private static final String ONE_BY_ONE = "((16,16),1):((16,1),0)";
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
     * @param blocks that share an SM
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
      return n == 16 ? 1 : 4;
    }

    private int columns() {
      return n == 16 ? 1 : 8;
    }
  }

  @Override
  public String name() {
    return "simt_gemm_" + type.text() + "_" + accumulator.text() + "_" + config.name().toLowerCase(Locale.ROOT) + "_x"
        + vector;
  }

  @Override
  public void trace(Scope k) {
    var thread = k.block(threads().threads());
    if (vector > 1) k.blocksPerMultiprocessor(config.blocks);
    var a = tensor(k, "A", "M", "K");
    var b = tensor(k, "B", "K", "N");
    var c = tensor(k, "C", "M", "N");
    var tile = OutputTile.banded(k, c.extent(0).ceilDiv(config.m), c.extent(1).ceilDiv(config.n), BAND);
    var rowsOfA = a.tile(List.of(config.m), tile.m(), k.constant(0));
    var columnsOfB = b.from(k.constant(0), tile.n().times(config.n));
    var sums = ThreadSums.of(k, accumulator, threads().values() / config.columns(), config.columns());

    if (config == Config.NAIVE) naive(k, thread, rowsOfA, columnsOfB, sums);
    else inTiles(k, thread, rowsOfA, columnsOfB, sums);
    store(k, thread, sums, c.tile(List.of(config.m, config.n), tile.m(), tile.n()));
  }

  private <T> void inTiles(Scope k, I32 thread, GlobalTensor a, GlobalTensor b, ThreadSums<T> sums) {
    var tilesA = k.shared(type, layoutA());
    var tilesB = k.shared(type, Layout.of(Layout.of(depth, config.n), Layout.of(config.n, 1),
        Layout.of(config.stages, (long) depth * config.n)));
    new TileRing(k, thread, threads().threads(), vector, a, tilesA, b, tilesB)
        .run(a.extent(1), new Slices<>(k, thread, tilesA, tilesB, sums));
  }

  /** Reads both factors of each product from global memory. */
  private <T> void naive(Scope k, I32 thread, GlobalTensor a, GlobalTensor b, ThreadSums<T> sums) {
    var place = threads().coordinate(thread, 0);
    k.when(a.contains(place[0], k.constant(0)).and(b.contains(k.constant(0), place[1])), () ->
        k.loop(a.extent(1), i -> sums.addAll(sums.ofRows(a.at(place[0], i).vector(1)),
            sums.ofColumns(b.at(i, place[1]).vector(1)))));
  }

  /** Only copies of four bytes and more are asynchronous, so narrower elements are not transposed. */
  private boolean columnwise() {
    return type.bytes() >= 4;
  }

  private Partition threads() {
    return columnwise() ? config.columnwise : config.rowwise;
  }

  /** With 16 bytes more a column or row, neighbours begin in different banks. */
  private Layout layoutA() {
    int pad = padded ? WIDEST_BYTES / type.bytes() : 0;
    if (!columnwise()) return shared(config.m, depth + pad, depth, 1, config.m * (depth + pad));
    return shared(config.m, 1, depth, config.m + pad, depth * (config.m + pad));
  }

  private Layout shared(int m, int strideM, int k, int strideK, int strideStage) {
    return Layout.of(Layout.of(m, strideM), Layout.of(k, strideK), Layout.of(config.stages, strideStage));
  }

  private GlobalTensor tensor(Scope k, String name, String rows, String columns) {
    var spec = TensorSpec.of(name, type, rows, columns).contiguous(columns).aligned(vector);
    return k.global(name.equals("A") ? spec : spec.multipleOf(columns, vector));
  }

  /** A column of A and a row of B at a time; where A is read by rows, so many columns as a read of them holds. */
  private final class Slices<T> implements TileRing.Slices {
    private final I32 thread;
    private final SharedTensor tilesA;
    private final SharedTensor tilesB;
    private final ThreadSums<T> sums;
    /** By set: of A by column or by row, of B by row. */
    private final List<List<Vector>> a = new ArrayList<>();
    private final List<List<Vector>> b = new ArrayList<>();

    Slices(Scope k, I32 thread, SharedTensor tilesA, SharedTensor tilesB, ThreadSums<T> sums) {
      this.thread = thread;
      this.tilesA = tilesA;
      this.tilesB = tilesB;
      this.sums = sums;
      for (int set = 0; set < 2; set++) {
        a.add(Stream.generate(() -> Vector.of(k, type, columnwise() ? config.run() : columns()))
            .limit(rows() / (columnwise() ? config.run() : 1)).toList());
        b.add(Stream.generate(() -> Vector.of(k, type, config.run())).limit(columns() * config.columns() / config.run())
            .toList());
      }
    }

    /** Columns of A in a slice; with more, A by rows would not leave registers for the rest. */
    private int columns() {
      return columnwise() || config.run() == 1 ? 1 : 4;
    }

    private int rows() {
      return threads().values() / config.columns();
    }

    @Override
    public int count() {
      return depth / columns();
    }

    @Override
    public void load(I32 stage, int slice, int set) {
      int from = slice * columns();
      int step = columnwise() ? config.run() : 1;
      for (int i = 0; i < rows(); i += step) {
        var row = threads().coordinate(thread, i * config.columns())[0];
        tilesA.at(row, thread.constant(from), stage).loadInto(a.get(set).get(i / step));
      }
      int runs = config.columns() / config.run();
      for (int run = 0; run < columns() * runs; run++) {
        var column = threads().coordinate(thread, run % runs * config.run())[1];
        tilesB.at(thread.constant(from + run / runs), column, stage).loadInto(b.get(set).get(run));
      }
    }

    @Override
    public void multiply(int set) {
      var as = a.get(set).stream().map(sums::ofRows).toList();
      var bs = b.get(set).stream().flatMap(vector -> sums.ofColumns(vector).stream()).toList();
      int across = bs.size() / columns();
      for (int inner = 0; inner < columns(); inner++) {
        int column = inner;
        var rows = columnwise() ? as.stream().flatMap(List::stream).toList()
            : as.stream().map(row -> row.get(column)).toList();
        sums.addAll(rows, bs.subList(inner * across, (inner + 1) * across));
      }
    }
  }

  private void store(Scope k, I32 thread, ThreadSums<?> sums, GlobalTensor c) {
    int run = Math.min(config.run(), vector);
    for (int v = 0; v < threads().values(); v += run) {
      int first = v;
      var element = c.at(threads().coordinate(thread, v));
      k.when(element.inside(), () -> sums.store(element, first, run));
    }
  }
}
