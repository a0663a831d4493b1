package tilewright.kernels.catalogue;

import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;
import tilewright.kernel.GlobalTensor;
import tilewright.kernel.I32;
import tilewright.kernel.Kernel;
import tilewright.kernel.Partition;
import tilewright.kernel.Scope;
import tilewright.kernel.SharedTensor;
import tilewright.kernel.TensorSpec;
import tilewright.kernel.Warp;
import tilewright.kernel.atom.WmmaAtom;
import tilewright.kernel.collective.OutputTile;
import tilewright.kernel.collective.TileRing;
import tilewright.kernel.tiled.Fragment;
import tilewright.kernels.registry.Family;
import tilewright.layout.Layout;
import tilewright.numerics.ElementType;
import tilewright.ptx.PtxType;

/**
 * C (M,N) = A (M,K) · B (K,N), rows contiguous in all three, on tensor cores by {@code wmma}: of f16 or bf16, or of
 * FP32 rounded to tf32; summed in the tensor cores' FP32 or f16 and rounded once. NaNs and infinities as in that sum.
 *
 * <p>Data path: global → {@code cp.async} → shared memory, {@code stages} tiles deep → {@code wmma.load} → two register
 * sets → {@code wmma.mma} → {@code wmma.store} to the warp's part of shared memory → global. The lanes' parts of a
 * fragment are not known, so results pass through shared memory.
 *
 * @param stages tiles along k in shared memory
 * @param band tile rows that CTAs work through together, for L2: with 1 in the tiles' order
 * @param padded whether rows of tiles in shared memory are 32 bytes longer
 * @param vector elements of one copy: as many as both strides and the tiles allow, else 1
 */
record WmmaGemm(WmmaAtom atom, Path path, int stages, int band, boolean padded, int vector) implements Kernel {
  private static final int WIDEST_BYTES = 16;
  /** Bytes that rows of {@code wmma}'s matrices are aligned to, whatever the type. */
  private static final int ROW_BYTES = 32;
  /** Bytes of a tile's row of A: two steps along k. */
  private static final int DEPTH_BYTES = 64;
  /** Bytes that tensors in shared memory are aligned to. */
  private static final long SHARED_ALIGNMENT = 1024;
  /** Neighbours of C that a lane stores. */
  private static final int RUN = 4;

  static final List<Family> FAMILIES = List.of(new WmmaGemmFamily());

  /** How warps lie on a tile, and how many matrices D each has. */
  enum Path {
    /** Eight warps, each with two by four matrices. */
    TILES(4, 2, 2, 4, WIDEST_BYTES),
    /** Sixteen warps, each with two by two. */
    WIDE(4, 4, 2, 2, WIDEST_BYTES),
    /** Eight warps with a matrix each. */
    WARPS(4, 2, 1, 1, WIDEST_BYTES / 2),
    /** One warp with one matrix. */
    NAIVE(1, 1, 1, 1, WIDEST_BYTES);

    private final int warpsM;
    private final int warpsN;
    private final int atomsM;
    private final int atomsN;
    final int copyBytes;

    Path(int warpsM, int warpsN, int atomsM, int atomsN, int copyBytes) {
      this.warpsM = warpsM;
      this.warpsN = warpsN;
      this.atomsM = atomsM;
      this.atomsN = atomsN;
      this.copyBytes = copyBytes;
    }

    private int warps() {
      return warpsM * warpsN;
    }
  }

  @Override
  public String name() {
    return "wmma_gemm_" + atom.type().text() + "_" + atom.accumulator().text() + "_" + atom.shape() + "_"
        + path.name().toLowerCase(Locale.ROOT) + "_s" + stages;
  }

  /** The kernel with rows in shared memory that follow one another without gaps. */
  WmmaGemm withoutPadding() {
    return new WmmaGemm(atom, path, stages, band, false, vector);
  }

  private ElementType type() {
    return atom.stored();
  }

  int tileM() {
    return path.warpsM * path.atomsM * atom.shape().m();
  }

  int tileN() {
    return path.warpsN * path.atomsN * atom.shape().n();
  }

  private int depth() {
    return DEPTH_BYTES / type().bytes();
  }

  private int threads() {
    return Warp.SIZE * path.warps();
  }

  /** Bytes of shared memory that a CTA needs: the ring's stages, and the matrices of its warps on their way out. */
  long sharedBytes() {
    return Stream.of(layoutA().cosize() * type().bytes(), layoutB().cosize() * type().bytes(),
        staging().cosize() * atom.accumulator().bytes())
        .mapToLong(bytes -> Math.ceilDiv(bytes, SHARED_ALIGNMENT) * SHARED_ALIGNMENT).sum();
  }

  private Layout staging() {
    int m = atom.shape().m();
    int n = atom.shape().n();
    return Layout.of(Layout.of(m, n), Layout.of(n, 1), Layout.of(path.warps(), (long) m * n));
  }

  @Override
  public void trace(Scope k) {
    var thread = k.block(threads());
    var a = tensor(k, "A", "M", "K");
    var b = tensor(k, "B", "K", "N");
    var c = tensor(k, "C", "M", "N");
    var tile = OutputTile.banded(k, c.extent(0).ceilDiv(tileM()), c.extent(1).ceilDiv(tileN()), band);
    var tilesA = k.shared(type(), layoutA());
    var tilesB = k.shared(type(), layoutB());
    var sums = Fragment.of(k, atom.accumulatorType(), path.atomsM * path.atomsN, atom.registersD());
    sums.clear(k, atom.accumulatorType());

    var ring = new TileRing(k, thread, threads(), vector, a.tile(List.of(tileM()), tile.m(), k.constant(0)), tilesA,
        b.from(k.constant(0), tile.n().times(tileN())), tilesB);
    ring.run(a.extent(1), new Steps(k, thread, tilesA, tilesB, sums));
    store(k, thread, sums, c.tile(List.of(tileM(), tileN()), tile.m(), tile.n()));
  }

  private GlobalTensor tensor(Scope k, String name, String rows, String columns) {
    var spec = TensorSpec.of(name, type(), rows, columns).contiguous(columns).aligned(vector);
    return k.global(name.equals("A") ? spec : spec.multipleOf(columns, vector));
  }

  private int strideA() {
    return depth() + padding();
  }

  private int strideB() {
    return inGroups() ? ROW_BYTES / type().bytes() : tileN() + padding();
  }

  private int padding() {
    return padded ? ROW_BYTES / type().bytes() : 0;
  }

  /** Whether the matrices B side by side are too narrow to be aligned, so that each lies by itself. */
  private boolean inGroups() {
    return atom.shape().n() * type().bytes() < ROW_BYTES;
  }

  private Layout layoutA() {
    return Layout.of(Layout.of(tileM(), strideA()), Layout.of(depth(), 1),
        Layout.of(stages, (long) tileM() * strideA()));
  }

  private Layout layoutB() {
    int n = atom.shape().n();
    long tile = (long) depth() * strideB();
    if (!inGroups()) return Layout.of(Layout.of(depth(), strideB()), Layout.of(tileN(), 1), Layout.of(stages, tile));
    int groups = tileN() / n;
    return Layout.of(Layout.of(depth(), strideB()), Layout.of(Layout.of(n, 1), Layout.of(groups, tile)),
        Layout.of(stages, groups * tile));
  }

  /** The first elements of a warp's matrices in a tile of {@code rows} × {@code columns}, one a value. */
  private Partition corners(Layout warpsM, Layout warpsN, Layout repeats, int rows, int columns) {
    return Partition.shared(Layout.of(Layout.of(Layout.of(Warp.SIZE, 0), warpsM, warpsN), repeats), rows, columns);
  }

  /** The matrices of one step along k. */
  private final class Steps implements TileRing.Slices {
    private final Scope k;
    private final I32 thread;
    private final SharedTensor tilesA;
    private final SharedTensor tilesB;
    private final Fragment sums;
    private final List<Fragment> a;
    private final List<Fragment> b;

    Steps(Scope k, I32 thread, SharedTensor tilesA, SharedTensor tilesB, Fragment sums) {
      this.k = k;
      this.thread = thread;
      this.tilesA = tilesA;
      this.tilesB = tilesB;
      this.sums = sums;
      a = twoSets(path.atomsM, atom.registersA());
      b = twoSets(path.atomsN, atom.registersB());
    }

    private List<Fragment> twoSets(int matrices, int registers) {
      return Stream.generate(() -> Fragment.of(k, PtxType.B32, matrices, registers)).limit(2).toList();
    }

    @Override
    public int count() {
      return depth() / atom.shape().k();
    }

    @Override
    public void load(I32 stage, int step, int set) {
      int m = atom.shape().m();
      int n = atom.shape().n();
      var inA = corners(Layout.of(path.warpsM, path.atomsM * m), Layout.of(path.warpsN, 0),
          Layout.of(Layout.of(path.atomsM, m), Layout.of(count(), atom.shape().k() * tileM())), tileM(), depth());
      for (int i = 0; i < path.atomsM; i++) {
        var place = inA.coordinate(thread, i + step * path.atomsM);
        atom.loadA(k, tilesA.at(place[0], place[1], stage), strideA(), a.get(set).group(i));
      }
      var inB = corners(Layout.of(path.warpsM, 0), Layout.of(path.warpsN, path.atomsN * n * depth()),
          Layout.of(Layout.of(path.atomsN, n * depth()), Layout.of(count(), atom.shape().k())), depth(), tileN());
      for (int j = 0; j < path.atomsN; j++) {
        var place = inB.coordinate(thread, j + step * path.atomsN);
        atom.loadB(k, tilesB.at(place[0], place[1], stage), strideB(), b.get(set).group(j));
      }
    }

    @Override
    public void multiply(int set) {
      for (int j = 0; j < path.atomsN; j++) {
        for (int i = 0; i < path.atomsM; i++) {
          atom.multiply(k, a.get(set).group(i), b.get(set).group(j), sums.group(i + j * path.atomsM));
        }
      }
    }
  }

  /** One matrix of a warp after the other: to the warp's part of shared memory, and from there in rows. */
  private void store(Scope k, I32 thread, Fragment sums, GlobalTensor c) {
    int m = atom.shape().m();
    int n = atom.shape().n();
    var staging = k.shared(atom.accumulator(), staging());
    var corners = corners(Layout.of(path.warpsM, path.atomsM * m), Layout.of(path.warpsN, path.atomsN * n * tileM()),
        Layout.of(Layout.of(path.atomsM, m), Layout.of(path.atomsN, n * tileM())), tileM(), tileN());
    var warp = thread.dividedBy(Warp.SIZE);
    var lane = thread.modulo(Warp.SIZE);
    int run = Math.min(RUN, vector);
    var rows = rows(run);
    for (int i = 0; i < path.atomsM * path.atomsN; i++) {
      var corner = corners.coordinate(thread, i);
      // Every lane has read the matrix before.
      if (i > 0) k.warpBarrier();
      atom.store(k, staging.at(k.constant(0), k.constant(0), warp), n, sums.group(i));
      k.warpBarrier();
      for (int v = 0; v < rows.values(); v += run) {
        var place = rows.coordinate(lane, v);
        var to = c.at(corner[0].plus(place[0]), corner[1].plus(place[1]));
        var from = staging.at(place[0], place[1], warp);
        k.when(to.inside(), () -> to.store(from.vector(run).values()));
      }
    }
  }

  /** The lanes on a matrix D, along its rows first, with runs of neighbours. */
  private Partition rows(int run) {
    int m = atom.shape().m();
    int along = atom.shape().n() / run;
    int down = Warp.SIZE / along;
    return Partition.exact(Layout.of(Layout.of(Layout.of(along, (long) run * m), Layout.of(down, 1)),
        Layout.of(Layout.of(run, m), Layout.of(m / down, down))), m, atom.shape().n());
  }
}
