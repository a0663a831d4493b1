package tilewright.sm90.collective;

import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;
import tilewright.async.atom.MatrixDescriptor;
import tilewright.async.schedule.Accumulators;
import tilewright.kernel.I32;
import tilewright.kernel.Partition;
import tilewright.kernel.Scope;
import tilewright.kernel.SharedTensor;
import tilewright.kernel.TraceException;
import tilewright.kernel.tiled.Fragment;
import tilewright.layout.OffsetMap;
import tilewright.numerics.ElementType;
import tilewright.ptx.Operand;
import tilewright.ptx.PtxType;
import tilewright.sm90.atom.WgmmaAtom;

/**
 * {@code wgmma} repeated over warpgroups and over each warpgroup's part of the C tile: group g of {@code groups} has
 * rows g·tileM/groups and on, or all rows of columns g·tileN/groups and on. A warpgroup's part is pieces of 64 rows and
 * as many columns as the atom has.
 */
public final class TiledWgmma {
  /** Rows of a block of 64 in which a thread has values. */
  static final int ROWS = 2;
  private static final int VALUES = 4;
  private static final int SPARSE_UNIT = 2;

  private final WgmmaAtom atom;
  private final int tileM;
  private final int tileN;
  private final int tileK;
  private final int groups;
  private final int groupsN;
  private final Optional<MatrixDescriptor> a;
  private final MatrixDescriptor b;

  private TiledWgmma(WgmmaAtom atom, int tileM, int tileN, int tileK, int groups, int groupsN,
      Optional<MatrixDescriptor> a, MatrixDescriptor b) {
    this.atom = atom;
    this.tileM = tileM;
    this.tileN = tileN;
    this.tileK = tileK;
    this.groups = groups;
    this.groupsN = groupsN;
    this.a = a;
    this.b = b;
  }

  /** Pieces as wide as the tile, both operands of one type. */
  public static TiledWgmma of(ElementType operand, OffsetMap tileA, OffsetMap tileB, int groups) {
    return of(new WgmmaAtom(operand, operand, extent(tileB, 0)), tileA, tileB, groups);
  }

  /**
   * @param tileA (M, K, …) in shared memory
   * @param tileB (N, K, …) in shared memory
   */
  public static TiledWgmma of(WgmmaAtom atom, OffsetMap tileA, OffsetMap tileB, int groups) {
    return of(atom, tileA, tileB, groups, 1, Optional.of(MatrixDescriptor.of(atom.a(), tileA, WgmmaAtom.M)));
  }

  /** Warpgroups side by side: each has all rows and its share of the columns, in pieces as wide as the atom. */
  public static TiledWgmma alongColumns(WgmmaAtom atom, OffsetMap tileA, OffsetMap tileB, int groups) {
    return of(atom, tileA, tileB, 1, groups, Optional.of(MatrixDescriptor.of(atom.a(), tileA, WgmmaAtom.M)));
  }

  /** Creates the tiling for a tile of A of a narrow type, which is converted in registers. */
  public static TiledWgmma converting(WgmmaAtom atom, OffsetMap tileA, OffsetMap tileB, int groups) {
    return of(atom, tileA, tileB, groups, 1, Optional.empty());
  }

  private static TiledWgmma of(WgmmaAtom atom, OffsetMap tileA, OffsetMap tileB, int groups, int groupsN,
      Optional<MatrixDescriptor> a) {
    int tileM = extent(tileA, 0);
    int tileN = extent(tileB, 0);
    int tileK = extent(tileB, 1);
    if (tileM % (groups * WgmmaAtom.M) != 0) {
      throw new TraceException("tileM = " + tileM + " does not give " + groups + " warpgroups rows in blocks of "
          + WgmmaAtom.M);
    }
    if (tileN % (groupsN * atom.columns()) != 0) {
      throw new TraceException("tileN = " + tileN + " is not made of pieces of " + atom.columns() + " columns");
    }
    // A narrow A's bytes may hold two elements each.
    int stored = tileK / atom.depth() * atom.storedDepth();
    if (a.isPresent() && stored != extent(tileA, 1) || tileK % atom.depth() != 0) {
      throw new TraceException("tiles " + tileA + " and " + tileB + " do not share a multiple of " + atom.depth()
          + " along k" + (atom.sparse() ? ", of which A stores half" : ""));
    }
    return new TiledWgmma(atom, tileM, tileN, tileK, groups, groupsN, a,
        MatrixDescriptor.of(atom.b(), tileB, atom.columns(), atom.depth()));
  }

  private static int extent(OffsetMap tile, int mode) {
    return Math.toIntExact(tile.shape().mode(mode).size());
  }

  private int rows() {
    return tileM / groups;
  }

  /** Blocks of 64 rows that a warpgroup has. */
  int blocks() {
    return rows() / WgmmaAtom.M;
  }

  /** K of the tile. */
  int depth() {
    return tileK;
  }

  /**
   * Stages of k that are multiplied together: where A is converted, all that share its scales; where it is sparse, two,
   * whose metadata are in registers of their own.
   */
  public int unit() {
    if (atom.sparse()) return SPARSE_UNIT;
    return a.isPresent() ? 1 : Math.max(1, BlockScales.BLOCK / tileK);
  }

  /** Columns of the tile. */
  int columns() {
    return tileN;
  }

  /** A tile's accumulators in the registers of this number of warpgroups. */
  public Accumulators accumulators(int warpgroups) {
    return new Accumulators(atom.d(), blocks() * columns() / (2 * VALUES), warpgroups);
  }

  /** The type of the accumulators. */
  PtxType sums() {
    return atom.sums();
  }

  /** Sums as an epilogue takes them that makes elements of a type of them: integers only for integers. */
  Fragment inTypeOf(Scope k, Fragment sums, ElementType type) {
    if (atom.d() != ElementType.I32 || type == ElementType.I32) return sums;
    return new Fragment(sums.groups().stream().map(group -> group.stream().map(register ->
        k.result(register, Integer.MIN_VALUE, Integer.MAX_VALUE).toF32().register()).toList()).toList());
  }

  /** The first row of a warpgroup's block; where a tile has one group, that may be any of the CTA's. */
  I32 row(I32 group, int block) {
    return (groups == 1 ? group.constant(0) : group.times(rows())).plus(block * WgmmaAtom.M);
  }

  /** Pieces of a warpgroup: block after block, in each from the left. */
  int pieces() {
    return blocks() * piecesPerBlock();
  }

  private int piecesPerBlock() {
    return tileN / groupsN / atom.columns();
  }

  /** The first column of a warpgroup. */
  private I32 firstColumn(I32 group) {
    return groupsN == 1 ? group.constant(0) : group.times(tileN / groupsN);
  }

  /** The elements of a piece that a thread of the warpgroup has. */
  Partition partition() {
    return atom.partition();
  }

  /** The rows of the CTA's tile that a thread of a warpgroup has values in, of one block. */
  List<I32> rowsOfThread(I32 group, I32 lane, int block) {
    return IntStream.range(0, ROWS)
        .mapToObj(row -> row(group, block).plus(partition().coordinate(lane, 2 * row)[0])).toList();
  }

  /** Columns of a piece. */
  int pieceColumns() {
    return atom.columns();
  }

  /** The block that a piece is in. */
  int block(int piece) {
    return piece / piecesPerBlock();
  }

  /** The first column of a piece. */
  int column(int piece) {
    return piece % piecesPerBlock() * atom.columns();
  }

  /** Accumulators of a thread, in groups of four values, zero. */
  public Fragment accumulators(Scope k) {
    var fragment = undefinedAccumulators(k);
    fragment.clear(k, atom.sums());
    return fragment;
  }

  /** Accumulators of a thread, in groups of four values, undefined. */
  public Fragment undefinedAccumulators(Scope k) {
    return accumulators(k, pieces());
  }

  private Fragment accumulators(Scope k, int pieces) {
    return Fragment.of(k, atom.sums(), pieces * groupsPerPiece(), atom.registers() / groupsPerPiece());
  }

  /** Accumulators of one piece, undefined. */
  Fragment pieceAccumulators(Scope k) {
    return accumulators(k, 1);
  }

  /** A piece's part of all accumulators. */
  Fragment piece(Fragment accumulators, int piece) {
    int first = piece * groupsPerPiece();
    return new Fragment(accumulators.groups().subList(first, first + groupsPerPiece()));
  }

  /** Accumulators of a thread for one piece. */
  int registersOfPiece() {
    return atom.registers();
  }

  private int groupsPerPiece() {
    return atom.values() / VALUES;
  }

  /** Accumulates a stage of both tiles and leaves the multiplications under way, as one group. */
  public void multiply(Scope k, I32 group, SharedTensor tileA, SharedTensor tileB, I32 stage, Fragment accumulators) {
    multiply(k, group, tileA, tileB, stage, accumulators, List.of());
  }

  /**
   * Accumulates a stage like the above.
   *
   * @param metadata of a sparse A: for each block of rows the thread's words; none of a dense one
   */
  void multiply(Scope k, I32 group, SharedTensor tileA, SharedTensor tileB, I32 stage, Fragment accumulators,
      List<List<Operand.Register>> metadata) {
    WgmmaAtom.fence(k);
    issue(k, group, tileA, stage, tileB, stage, accumulators, true, metadata);
    WgmmaAtom.commit(k);
  }

  /**
   * Begins the multiplications of a stage of each tile; a fence comes before, and a commit follows.
   *
   * @param add whether to add to the accumulators; else they are replaced
   */
  public void issue(Scope k, I32 group, SharedTensor tileA, I32 stageA, SharedTensor tileB, I32 stageB,
      Fragment accumulators, boolean add) {
    issue(k, group, tileA, stageA, tileB, stageB, accumulators, add, List.of());
  }

  private void issue(Scope k, I32 group, SharedTensor tileA, I32 stageA, SharedTensor tileB, I32 stageB,
      Fragment accumulators, boolean add, List<List<Operand.Register>> metadata) {
    for (int slice = 0; slice < tileK; slice += atom.depth()) {
      for (int column = 0; column < tileN / groupsN; column += atom.columns()) {
        var rowsB = b.register(k, tileB, firstColumn(group).plus(column), k.constant(slice), stageB);
        for (int block = 0; block < blocks(); block++) {
          int piece = block * piecesPerBlock() + column / atom.columns();
          var rowsA = formOfA().register(k, tileA, row(group, block), k.constant(stored(slice)), stageA);
          multiply(k, rowsA, rowsB, piece(accumulators, piece), add || slice > 0,
              metadata.isEmpty() ? List.of() : metadata.get(block), slice);
        }
      }
    }
  }

  /**
   * Begins the multiplications of a slice of a stage of B; a fence comes before, and a commit follows.
   *
   * @param a of each block of rows the registers of the slice
   */
  void issue(Scope k, List<List<Operand.Register>> a, SharedTensor tileB, int slice, I32 stageB,
      Fragment accumulators) {
    for (int column = 0; column < tileN; column += atom.columns()) {
      var rowsB = b.register(k, tileB, k.constant(column), k.constant(slice * atom.depth()), stageB);
      for (int block = 0; block < blocks(); block++) {
        int piece = block * piecesPerBlock() + column / atom.columns();
        atom.multiply(k, a.get(block), rowsB, b, all(piece(accumulators, piece)), true);
      }
    }
  }

  /** How rows of a narrow type become A. */
  ConvertedRows convertedRows(ElementType narrow) {
    return new ConvertedRows(atom, narrow);
  }

  /**
   * Begins one multiplication.
   *
   * @param words of metadata of the rows' block
   * @param slice where it begins along k of the tile
   */
  private void multiply(Scope k, Operand.Register rowsA, Operand.Register rowsB, Fragment sums, boolean add,
      List<Operand.Register> words, int slice) {
    if (words.isEmpty()) {
      atom.multiply(k, rowsA, formOfA(), rowsB, b, all(sums), add);
    } else {
      atom.multiply(k, rowsA, formOfA(), rowsB, b, all(sums), add, words.get(slice / atom.metadataDepth()), slice);
    }
  }

  /** The element of a stored row of A at which the elements along k from one on begin. */
  private int stored(int slice) {
    return slice / atom.depth() * atom.storedDepth();
  }

  private MatrixDescriptor formOfA() {
    return a.orElseThrow(() -> new TraceException("operand A is converted in registers"));
  }

  /**
   * Replaces one piece's accumulators by its products of a stage, under way as one group; a fence comes before.
   *
   * @param metadata of a sparse A, as {@link #multiply} takes them
   */
  void multiplyPiece(Scope k, I32 group, SharedTensor tileA, SharedTensor tileB, I32 stage, int piece,
      Fragment sums, List<List<Operand.Register>> metadata) {
    var rows = row(group, block(piece));
    for (int slice = 0; slice < tileK; slice += atom.depth()) {
      var rowsB = b.register(k, tileB, k.constant(column(piece)), k.constant(slice), stage);
      var rowsA = formOfA().register(k, tileA, rows, k.constant(stored(slice)), stage);
      multiply(k, rowsA, rowsB, sums, slice > 0, metadata.isEmpty() ? List.of() : metadata.get(block(piece)), slice);
    }
    WgmmaAtom.commit(k);
  }

  private static List<Operand.Register> all(Fragment fragment) {
    return fragment.groups().stream().flatMap(List::stream).toList();
  }
}
