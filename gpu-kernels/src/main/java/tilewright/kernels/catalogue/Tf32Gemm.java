package tilewright.kernels.catalogue;

import java.util.List;
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
import tilewright.kernel.atom.Tf32Mma;
import tilewright.kernel.collective.TileRing;
import tilewright.kernel.collective.OutputTile;
import tilewright.kernel.tiled.Fragment;
import tilewright.kernels.registry.Choice;
import tilewright.kernels.registry.Family;
import tilewright.kernels.registry.Setting;
import tilewright.kernels.registry.Workload;
import tilewright.layout.Layout;
import tilewright.numerics.ElementType;
import tilewright.ptx.Operand;
import tilewright.ptx.PtxType;
import tilewright.reference.MatrixReference;

/**
 * C (M,N) = A (M,K) · B (K,N) of FP32, rows contiguous in all three, on tensor cores: factors rounded to tf32, sums
 * in the tensor cores' FP32, NaNs and infinities as in that sum. Four warps, each with 64×64 of a tile of
 * 128×128.
 *
 * <p>Atoms multiply Cᵀ = Bᵀ·Aᵀ: then the registers that one of them wants side by side are neighbours in shared
 * memory, two columns of B and two steps along k of A, and so are a thread's results.
 *
 * @param stages tiles along k in shared memory
 * @param vector elements of one copy: 4 where both strides allow it, else 1
 */
record Tf32Gemm(int stages, int vector) implements Kernel {
  private static final int TILE = 128;
  private static final int TILE_K = 16;
  private static final int BAND = 8;
  private static final int STEPS = TILE_K / Tf32Mma.K;
  private static final int ATOMS_M = 8;
  private static final int ATOMS_N = 4;

  /** Threads and values on the tiles, checked when first traced: the family alone is asked for at every start. */
  private static final class Tiles {
    /** Lanes, then warps 2×2; an atom's values, then the atoms of a warp. */
    static final Partition C = Partition.exact(Layout.parse(
        "((4,8,2,2),(2,2,4,8)):((2,256,64,8192),(1,128,2048,8))"), TILE, TILE);
    /** The begins of pairs along k in A (M,K): lanes and warps as in C; atoms, then steps. */
    static final Partition A = Partition.shared(Layout.parse(
        "((4,8,2,2),(8,2)):((256,1,64,0),(8,1024))"), TILE, TILE_K);
    /** The begins of pairs along n in B (K,N): two along k, atoms, steps. */
    static final Partition B = Partition.shared(Layout.parse(
        "((4,8,2,2),(2,4,2)):((2,32,0,1024),(1,256,8))"), TILE_K, TILE);
  }

  static final List<Family> FAMILIES = List.of(new GemmFamily("tf32_gemm",
      "C (M,N) = A (M,K) · B (K,N) of f32 rounded to tf32, on tensor cores",
      List.of(Setting.option("stages", "3", "2", "4"))) {
    @Override
    public Workload workload(Choice choice) {
      int m = choice.number("m");
      int n = choice.number("n");
      int k = choice.number("k");
      var kernel = new Tf32Gemm(choice.number("stages"), k % 4 == 0 && n % 4 == 0 ? 4 : 1);
      return product(kernel, Target.SM80, ElementType.F32, TILE, TILE, MatrixReference.tf32(m, n, k), choice);
    }
  });

  @Override
  public String name() {
    return "tf32_gemm_s" + stages + "_x" + vector;
  }

  @Override
  public void trace(Scope k) {
    var thread = k.block(Tiles.C.threads());
    if (vector > 1) k.blocksPerMultiprocessor(2);
    var a = tensor(k, "A", "M", "K");
    var b = tensor(k, "B", "K", "N");
    var c = tensor(k, "C", "M", "N");
    var zero = k.constant(0);
    var tile = OutputTile.banded(k, c.extent(0).ceilDiv(TILE), c.extent(1).ceilDiv(TILE), BAND);
    // Rows of 24 and of 132 words, so that sixteen lanes with a pair each meet every bank once.
    var tilesA = shared(k, TILE, TILE_K, TILE_K + 8);
    var tilesB = shared(k, TILE_K, TILE, TILE + 4);
    var sums = Fragment.of(k, PtxType.F32, ATOMS_M * ATOMS_N, 4);
    sums.clear(k, PtxType.F32);

    new TileRing(k, thread, Tiles.C.threads(), vector, a.tile(List.of(TILE), tile.m(), zero), tilesA,
        b.from(zero, tile.n().times(TILE)), tilesB)
        .run(a.extent(1), Slices.of(k, thread, tilesA, tilesB, sums));
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

  /** The atoms of one step along k. */
  private record Slices(Scope k, I32 thread, SharedTensor tilesA, SharedTensor tilesB, Fragment sums,
      List<List<Vector>> a, List<List<Vector>> b) implements TileRing.Slices {

    static Slices of(Scope k, I32 thread, SharedTensor tilesA, SharedTensor tilesB, Fragment sums) {
      return new Slices(k, thread, tilesA, tilesB, sums, twoSets(k, Tiles.A.values() / STEPS),
          twoSets(k, Tiles.B.values() / STEPS));
    }

    private static List<List<Vector>> twoSets(Scope k, int pairs) {
      return Stream.generate(() -> Stream.generate(() -> Vector.of(k, ElementType.F32, 2)).limit(pairs).toList())
          .limit(2).toList();
    }

    @Override
    public int count() {
      return STEPS;
    }

    @Override
    public void load(I32 stage, int slice, int set) {
      load(Tiles.A, tilesA, stage, slice, a.get(set));
      load(Tiles.B, tilesB, stage, slice, b.get(set));
    }

    private void load(Partition partition, SharedTensor tiles, I32 stage, int slice, List<Vector> pairs) {
      for (int i = 0; i < pairs.size(); i++) {
        var place = partition.coordinate(thread, slice * pairs.size() + i);
        tiles.at(place[0], place[1], stage).loadInto(pairs.get(i));
      }
    }

    @Override
    public void multiply(int set) {
      var rows = rounded(a.get(set));
      var columns = rounded(b.get(set));
      for (int j = 0; j < ATOMS_M; j++) {
        for (int i = 0; i < ATOMS_N; i++) {
          var four = Stream.concat(columns.get(2 * i).stream(), columns.get(2 * i + 1).stream()).toList();
          Tf32Mma.multiply(k, four, rows.get(j), sums.group(i + j * ATOMS_N));
        }
      }
    }

    private List<List<Operand.Register>> rounded(List<Vector> pairs) {
      return pairs.stream().map(pair -> pair.values().stream().map(x -> Tf32Mma.round(k, x)).toList()).toList();
    }
  }

  /** The results of a row lie two apart in an atom: a pair of columns each. */
  private void store(Scope k, I32 thread, Fragment sums, GlobalTensor c) {
    int run = Math.min(2, vector);
    for (int v = 0; v < Tiles.C.values(); v++) {
      if (v % 4 >= 2) continue;
      var group = sums.group(v / 4);
      var pair = List.of(k.result(group.get(v % 4)), k.result(group.get(v % 4 + 2)));
      for (int from = 0; from < 2; from += run) {
        var element = c.at(Tiles.C.coordinate(thread, v + 2 * from));
        var results = pair.subList(from, from + run);
        k.when(element.inside(), () -> element.store(results));
      }
    }
  }
}
