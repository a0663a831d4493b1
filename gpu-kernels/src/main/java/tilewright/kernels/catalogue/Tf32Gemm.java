package tilewright.kernels.catalogue;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import tilewright.kernel.F32;
import tilewright.kernel.GlobalTensor;
import tilewright.kernel.I32;
import tilewright.kernel.Kernel;
import tilewright.kernel.Partition;
import tilewright.kernel.Scope;
import tilewright.kernel.SharedTensor;
import tilewright.kernel.Target;
import tilewright.kernel.TensorSpec;
import tilewright.kernel.atom.Tf32Mma;
import tilewright.kernel.collective.TileRing;
import tilewright.kernel.collective.TileScheduler;
import tilewright.kernel.tiled.Fragment;
import tilewright.layout.Layout;
import tilewright.numerics.ElementType;
import tilewright.ptx.Operand;
import tilewright.ptx.PtxType;
import tilewright.reference.MatrixReference;

/**
 * C (M,N) = A (M,K) · B (K,N) of singles, rows contiguous in all three, on tensor cores: factors rounded to tf32, sums
 * in the tensor cores' single precision. Eight warps, each with 32×64 of a tile of 128×128.
 *
 * @param stages tiles along k in shared memory
 * @param vector elements of one copy: 4 where both strides allow it, else 1
 */
record Tf32Gemm(int stages, int vector) implements Kernel {
  private static final int TILE = 128;
  private static final int TILE_K = 16;
  private static final int BAND = 8;
  private static final int ATOMS_M = 2;
  private static final int ATOMS_N = 8;
  /** Lanes, then warps 4×2; an atom's values, then the atoms of a warp. */
  private static final Partition C = Partition.exact(Layout.parse(
      "((4,8,4,2),(2,2,2,8)):((256,1,32,8192),(128,8,16,1024))"), TILE, TILE);

  static final Family FAMILY = new GemmFamily("tf32_gemm", "C (M,N) = A (M,K) · B (K,N) of f32 rounded to tf32, on "
      + "tensor cores", List.of(Setting.option("stages", "3", "2", "4"))) {
    @Override
    public Workload workload(Choice choice) {
      int m = choice.number("m");
      int n = choice.number("n");
      int k = choice.number("k");
      var kernel = new Tf32Gemm(choice.number("stages"), k % 4 == 0 && n % 4 == 0 ? 4 : 1);
      return product(kernel, Target.SM80, ElementType.F32, TILE, TILE, MatrixReference.tf32(m, n, k), choice);
    }
  };

  @Override
  public String name() {
    return "tf32_gemm_s" + stages + "_x" + vector;
  }

  @Override
  public void trace(Scope k) {
    var thread = k.block(C.threads());
    var a = tensor(k, "A", "M", "K");
    var b = tensor(k, "B", "K", "N");
    var c = tensor(k, "C", "M", "N");
    var zero = k.constant(0);
    var tile = TileScheduler.banded(k, c.extent(0).ceilDiv(TILE).max(1), c.extent(1).ceilDiv(TILE).max(1), BAND);
    // Rows of 20 and of 136 words, so that a fragment's 32 words lie in 32 banks.
    var tilesA = shared(k, TILE, TILE_K, TILE_K + 4);
    var tilesB = shared(k, TILE_K, TILE, TILE + 8);
    var sums = Fragment.of(k, PtxType.F32, ATOMS_M * ATOMS_N, 4);
    sums.clear(k, PtxType.F32);

    new TileRing(k, thread, C.threads(), vector, a.tile(List.of(TILE), tile.m(), zero), tilesA,
        b.from(zero, tile.n().times(TILE)), tilesB)
        .run(a.extent(1), stage -> multiply(k, thread, tilesA, tilesB, stage, sums));
    store(k, thread, sums, c.tile(List.of(TILE, TILE), tile.m(), tile.n()));
  }

  private GlobalTensor tensor(Scope k, String name, String rows, String columns) {
    var spec = TensorSpec.of(name, ElementType.F32, rows, columns).contiguous(columns).aligned(vector);
    return k.global(name.equals("A") ? spec : spec.multipleOf(columns, vector));
  }

  private SharedTensor shared(Scope k, int rows, int columns, int stride) {
    return k.shared(ElementType.F32, Layout.of(Layout.of(rows, stride), Layout.of(columns, 1),
        Layout.of(stages, (long) rows * stride)));
  }

  private void multiply(Scope k, I32 thread, SharedTensor tilesA, SharedTensor tilesB, I32 stage, Fragment sums) {
    for (int from = 0; from < TILE_K; from += Tf32Mma.K) {
      var a = new ArrayList<List<Operand.Register>>();
      for (int i = 0; i < ATOMS_M; i++) a.add(fragmentA(k, thread, tilesA, stage, i, from));
      for (int j = 0; j < ATOMS_N; j++) {
        var b = fragmentB(k, thread, tilesB, stage, j, from);
        for (int i = 0; i < ATOMS_M; i++) Tf32Mma.multiply(k, a.get(i), b, sums.group(i + j * ATOMS_M));
      }
    }
  }

  /** Rows of a warp are those of its part of C. */
  private List<Operand.Register> fragmentA(Scope k, I32 thread, SharedTensor tiles, I32 stage, int atom, int from) {
    var warps = Layout.of(Layout.of(4, 32), Layout.of(2, 0));
    return fragment(k, Tf32Mma.A, warps, Tf32Mma.M, TILE, thread, atom,
        place -> tiles.at(place[0], place[1].plus(from), stage).load());
  }

  private List<Operand.Register> fragmentB(Scope k, I32 thread, SharedTensor tiles, I32 stage, int atom, int from) {
    var warps = Layout.of(Layout.of(4, 0), Layout.of(2, 64));
    return fragment(k, Tf32Mma.B, warps, Tf32Mma.N, TILE, thread, atom,
        place -> tiles.at(place[1].plus(from), place[0], stage).load());
  }

  /** An atom's operand: lanes and values as its layout says, spread over rows (or columns) of the tile and k. */
  private static List<Operand.Register> fragment(Scope k, Layout operand, Layout warps, int extent, int tile,
      I32 thread, int atom, Function<I32[], F32> load) {
    var inTile = Layout.of(Layout.of(extent, 1), Layout.of(Tf32Mma.K, tile)).composition(operand);
    var partition = Partition.shared(Layout.of(Layout.of(inTile.mode(0), warps), inTile.mode(1)), tile, Tf32Mma.K);
    var registers = new ArrayList<Operand.Register>();
    for (int value = 0; value < partition.values(); value++) {
      var place = partition.coordinate(thread, value);
      place[0] = place[0].plus(atom * extent);
      registers.add(Tf32Mma.round(k, load.apply(place)));
    }
    return registers;
  }

  private void store(Scope k, I32 thread, Fragment sums, GlobalTensor c) {
    int run = Math.min(2, vector);
    for (int v = 0; v < C.values(); v += run) {
      var element = c.at(C.coordinate(thread, v));
      var group = sums.group(v / 4);
      var results = group.subList(v % 4, v % 4 + run).stream().map(k::result).toList();
      k.when(element.inside(), () -> element.store(results));
    }
  }
}
