package tilewright.kernels.catalogue;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.Consumer;
import tilewright.kernel.F32;
import tilewright.kernel.GlobalTensor;
import tilewright.kernel.I32;
import tilewright.kernel.I32Variable;
import tilewright.kernel.Kernel;
import tilewright.kernel.Partition;
import tilewright.kernel.Scope;
import tilewright.kernel.SharedTensor;
import tilewright.kernel.TensorSpec;
import tilewright.kernel.atom.CopyAtom;
import tilewright.kernel.atom.CpAsync;
import tilewright.kernel.atom.ElementCopy;
import tilewright.kernel.collective.TileScheduler;
import tilewright.kernel.tiled.TiledCopy;
import tilewright.layout.Layout;
import tilewright.numerics.ElementType;

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

    int m() {
      return m;
    }

    int n() {
      return n;
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
    var ring = new Ring(k, thread, a.tile(List.of(config.m), tile.m(), zero), b.from(zero, tile.n().times(config.n)));
    var sums = new ArrayList<F32.Accumulator>();
    for (int i = 0; i < config.threads.values(); i++) sums.add(k.accumulator());

    ring.run(a.extent(1), stage -> multiply(thread, ring, stage, sums));
    store(k, thread, sums, c.tile(List.of(config.m, config.n), tile.m(), tile.n()));
  }

  private int tileK() {
    return config.bytesK / type.bytes();
  }

  private GlobalTensor tensor(Scope k, String name, String rows, String columns) {
    var spec = TensorSpec.of(name, type, rows, columns).contiguous(columns).aligned(vector);
    return k.global(name.equals("A") ? spec : spec.multipleOf(columns, vector));
  }

  /** Tiles of A and B in shared memory, filled ahead of their use. */
  private final class Ring {
    private final Scope k;
    private final I32 thread;
    private final GlobalTensor a;
    private final GlobalTensor b;
    private final SharedTensor tilesA;
    private final SharedTensor tilesB;
    private final TiledCopy copyA;
    private final TiledCopy copyB;

    Ring(Scope k, I32 thread, GlobalTensor a, GlobalTensor b) {
      this.k = k;
      this.thread = thread;
      this.a = a;
      this.b = b;
      // 16 bytes more a row, so that four rows begin in different banks.
      int rowA = tileK() + 16 / type.bytes();
      this.tilesA = k.shared(type, Layout.of(Layout.of(config.m, rowA), Layout.of(tileK(), 1),
          Layout.of(config.stages, (long) config.m * rowA)));
      this.tilesB = k.shared(type, Layout.of(Layout.of(tileK(), config.n), Layout.of(config.n, 1),
          Layout.of(config.stages, (long) tileK() * config.n)));
      this.copyA = copy(tileK());
      this.copyB = copy(config.n);
    }

    private TiledCopy copy(int columns) {
      CopyAtom atom = vector == 1 ? new ElementCopy() : new CpAsync(k, vector, type.bytes());
      int threads = config.threads.threads();
      int along = Math.min(columns / vector, threads);
      return TiledCopy.of(atom, Layout.of(Layout.of(threads / along, along), Layout.of(along, 1)),
          Layout.columnMajor(1, vector));
    }

    void run(I32 extent, Consumer<I32> multiply) {
      var tiles = extent.ceilDiv(tileK());
      int ahead = config.stages - 1;
      for (int stage = 0; stage < ahead; stage++) fill(k.constant(stage), k.constant(stage));
      var reading = k.variable(k.constant(0), ahead);
      var writing = k.variable(k.constant(ahead), ahead);
      k.loop(tiles, tile -> {
        if (ahead == 0) fill(tile, k.constant(0));
        CpAsync.waitFor(k, Math.max(0, ahead - 1));
        k.barrier();
        // The stage that was read last is free, because every thread has passed the barrier.
        if (ahead > 0) fill(tile.plus(ahead), writing.value());
        multiply.accept(reading.value());
        if (ahead == 0) k.barrier();
        advance(writing);
        advance(reading);
      });
    }

    private void advance(I32Variable stage) {
      stage.set(stage.value().plus(1).where(stage.value().lessThan(config.stages - 1), 0));
    }

    private void fill(I32 tile, I32 stage) {
      var zero = k.constant(0);
      copyA.copy(thread, a.from(zero, tile.times(tileK())), tilesA, stage);
      copyB.copy(thread, b.from(tile.times(tileK()), zero), tilesB, stage);
      CpAsync.commit(k);
    }
  }

  private void multiply(I32 thread, Ring ring, I32 stage, List<F32.Accumulator> sums) {
    // What is read of A at once; more singles would not leave registers for a second block.
    int step = config == Config.SLICED ? 1 : type == ElementType.F32 ? 2 : 8;
    int perRow = config.run() * config.runs();
    for (int from = 0; from < tileK(); from += step) {
      var rows = new ArrayList<List<F32>>();
      for (int i = 0; i < config.rows(); i++) {
        var row = config.threads.coordinate(thread, i * perRow)[0];
        rows.add(ring.tilesA.at(row, ring.k.constant(from), stage).load(step));
      }
      for (int inner = 0; inner < step; inner++) {
        var columns = new ArrayList<F32>();
        for (int j = 0; j < config.runs(); j++) {
          var column = config.threads.coordinate(thread, j * config.run())[1];
          columns.addAll(ring.tilesB.at(ring.k.constant(from + inner), column, stage).load(config.run()));
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
