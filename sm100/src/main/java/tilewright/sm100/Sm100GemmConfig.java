package tilewright.sm100;

import java.util.ArrayList;
import java.util.List;
import tilewright.async.atom.SwizzledRows;
import tilewright.async.collective.Cluster;
import tilewright.async.collective.TensorTile;
import tilewright.async.schedule.TileGrid;
import tilewright.kernel.I32;
import tilewright.kernel.Scope;
import tilewright.kernel.TensorSpec;
import tilewright.layout.OffsetMap;
import tilewright.numerics.ElementType;
import tilewright.ptx.tensormap.TensorElement;
import tilewright.sm100.atom.MmaFormat;
import tilewright.sm100.atom.ScaleCopy;
import tilewright.sm100.atom.TensorMemory;
import tilewright.sm100.atom.TensorMemoryTile;
import tilewright.sm100.atom.UmmaAtom;
import tilewright.sm100.collective.CtaGroups;
import tilewright.sm100.collective.ScaledMainloop;
import tilewright.sm100.collective.TensorMainloop;
import tilewright.sm100.collective.TiledUmma;
import tilewright.sm100.collective.UmmaMainloop;

/**
 * The parameters that are fixed when a Blackwell GEMM is traced.
 *
 * @param aKMajor whether A's neighbours run along k (else along m)
 * @param bKMajor whether B's neighbours run along k (else along n)
 * @param tileN columns of C that a group of CTAs computes at once; a CTA has 128 rows of them
 * @param ctas CTAs that multiply together: 1 or 2
 * @param cluster CTAs, one above the other, whose groups load B's tiles for each other
 * @param stages tiles of shared memory in the ring
 * @param accumulators tiles of C in Tensor Memory: with two, one is written out while the next is computed
 * @param dynamic whether clusters take over the tiles of cancelled launches; otherwise they take turns
 * @param band tile rows that clusters work through together, for L2
 * @param deep whether an instruction takes 96 elements of four bits along k instead of 64 (SM103)
 */
public record Sm100GemmConfig(UmmaTypes types, boolean aKMajor, boolean bKMajor, int tileN, int ctas, int cluster,
    int stages, int accumulators, boolean dynamic, int band, boolean deep) {
  /** Rows of C that a CTA computes at once. */
  public static final int TILE_M = TensorMemory.LANES;
  private static final int DEPTH_BYTES = 128;
  /** A multiple of 128 bytes, and of the 48 of an instruction. */
  private static final int DEEP_BYTES = 384;
  private static final int ALIGNED_BYTES = 16;
  private static final int UNPACKED = 128;

  public Sm100GemmConfig {
    requireOrder("A", types, types.a(), aKMajor, TILE_M);
    requireOrder("B", types, types.b(), bKMajor, tileN / cluster);
    if (types.kind().scaled() && tileN % TILE_M != 0) {
      throw new IllegalArgumentException("tileN = " + tileN + ": scales come for " + TILE_M + " columns at once");
    }
  }

  /** The configuration of the usual K of an instruction. */
  public Sm100GemmConfig(UmmaTypes types, boolean aKMajor, boolean bKMajor, int tileN, int ctas, int cluster,
      int stages, int accumulators, boolean dynamic, int band) {
    this(types, aKMajor, bKMajor, tileN, ctas, cluster, stages, accumulators, dynamic, band, false);
  }

  /** @param copied rows that a CTA copies at once */
  private static void requireOrder(String name, UmmaTypes types, MmaFormat format, boolean kMajor, int copied) {
    if (kMajor || format.bits() >= Byte.SIZE) return;
    if (types.kind().perContainer() > 1) {
      throw new IllegalArgumentException(name + " of " + types.name() + " must have its neighbours along k: the "
          + "instruction transposes no elements of which two share a byte (PTX ISA, Instruction descriptor)");
    }
    if (copied % UNPACKED != 0) {
      throw new IllegalArgumentException(name + " of " + format.text() + " has its neighbours along the rows, of which "
          + "a CTA copies " + copied + ": copies that unpack elements take a multiple of " + UNPACKED);
    }
  }

  /** Rows of A that lie in memory: whole units where copies unpack elements along m. */
  int storedM(int m) {
    return stored(types.a(), aKMajor, m);
  }

  /** Rows of B that lie in memory: whole units where copies unpack elements along n. */
  int storedN(int n) {
    return stored(types.b(), bKMajor, n);
  }

  private static int stored(MmaFormat format, boolean kMajor, int rows) {
    return kMajor || format.bits() >= Byte.SIZE ? rows : Math.ceilDiv(rows, UNPACKED) * UNPACKED;
  }

  /** The main loop, with the tiles that it needs set aside. */
  TensorMainloop mainloop(Scope k, CtaGroups groups) {
    var products = products(k, groups);
    return types.kind().scaled() ? ScaledMainloop.of(products, stages) : products;
  }

  /** The main loop of products without scales. */
  UmmaMainloop products(Scope k, CtaGroups groups) {
    var a = TensorTile.of(k, operand("A", types.a(), "M", aKMajor), layout(types.a(), TILE_M, aKMajor));
    var layoutB = layout(types.b(), tileN / ctas, bKMajor);
    var b = TensorTile.shared(k, operand("B", types.b(), "N", bKMajor), layoutB, groups.count());
    var mma = TiledUmma.of(atom(), a.shared().layout(), layoutB);
    return new UmmaMainloop(k, a, b, mma, groups);
  }

  private UmmaAtom atom() {
    var sums = types.output() == ElementType.I32 ? ElementType.I32 : ElementType.F32;
    return new UmmaAtom(types.kind(), types.a(), types.b(), sums, ctas * TILE_M, tileN, ctas, deep);
  }

  /** The tiles of a C of these extents. */
  TileGrid grid(Cluster cluster, TileGrid.Extents extents) {
    return new TileGrid(cluster, TILE_M, tileN, band, extents);
  }

  /** One of the accumulators that alternate, among the columns of all. */
  TensorMemoryTile accumulator(TensorMemoryTile all, I32 stage) {
    return all.stage(stage, accumulators);
  }

  /** Columns of Tensor Memory that hold the accumulators. */
  int columns() {
    return accumulators * tileN;
  }

  /**
   * Columns of Tensor Memory with one use.
   *
   * @param use such as {@code sums 0}
   */
  public record Columns(String use, int first, int count) {}

  /** The uses of the columns of Tensor Memory, in the order in which the kernel takes them. */
  public List<Columns> tensorMemory() {
    var uses = new ArrayList<Columns>();
    for (int i = 0; i < accumulators; i++) uses.add(new Columns("sums " + i, i * tileN, tileN));
    if (types.kind().scaled()) {
      int ofA = ScaledMainloop.tiles(types.kind(), tileK()) * ScaleCopy.COLUMNS;
      uses.add(new Columns("scales of A", columns(), ofA));
      uses.add(new Columns("scales of B", columns() + ofA, ofA * tileN / ScaleCopy.ROWS));
    }
    return List.copyOf(uses);
  }

  /** Columns to allocate for the accumulators and a main loop. */
  int allocated(TensorMainloop mainloop) {
    return Math.max(TensorMemory.FEWEST, Integer.highestOneBit(2 * (columns() + mainloop.columns()) - 1));
  }

  /** K of a stage, in containers. */
  private int tileK() {
    return (deep ? DEEP_BYTES : DEPTH_BYTES) / types.a().container().bytes();
  }

  private TensorSpec operand(String name, MmaFormat format, String rows, boolean kMajor) {
    var type = format.container();
    boolean unpacked = format.bits() < Byte.SIZE && types.kind().perContainer() == 1;
    // More rows may be stored than C has.
    var mode = unpacked && !kMajor ? rows + "_stored" : rows;
    var spec = TensorSpec.of(name, type, mode, "K", "L").contiguous(kMajor ? "K" : mode)
        .aligned(ALIGNED_BYTES / type.bytes());
    if (!unpacked) return spec;
    return spec.aligned(UNPACKED).multipleOf(kMajor ? "K" : mode, UNPACKED)
        .packedAs(format.bits() == 4 ? TensorElement.U4_ALIGN16B : TensorElement.U6_ALIGN16B);
  }

  TensorSpec c() {
    return TensorSpec.of("C", types.output(), "M", "N", "L").contiguous("N")
        .aligned(ALIGNED_BYTES / types.output().bytes());
  }

  private OffsetMap layout(MmaFormat format, int rows, boolean kMajor) {
    if (kMajor) return SwizzledRows.alongColumns(format.container(), rows, tileK(), stages);
    return format.bits() == Integer.SIZE
        ? SwizzledRows.alongRowsInWideChunks(format.container(), rows, tileK(), stages)
        : SwizzledRows.alongRows(format.container(), rows, tileK(), stages);
  }

  @Override
  public String toString() {
    return (aKMajor ? "T" : "N") + (bKMajor ? "N" : "T") + " " + types.name() + "->" + types.output().text() + " "
        + ctas * TILE_M + "x" + tileN + "x" + tileK() + " ctas " + ctas + " cluster " + cluster + " stages " + stages
        + " accumulators " + accumulators + (dynamic ? " dynamic" : "") + " band " + band;
  }
}
