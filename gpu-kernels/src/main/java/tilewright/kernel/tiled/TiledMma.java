package tilewright.kernel.tiled;

import java.util.List;
import tilewright.kernel.I32;
import tilewright.kernel.Partition;
import tilewright.kernel.Scope;
import tilewright.kernel.SharedTensor;
import tilewright.kernel.TraceException;
import tilewright.kernel.atom.LdMatrix;
import tilewright.kernel.atom.MmaAtom;
import tilewright.kernel.atom.OperandLoad;
import tilewright.kernel.atom.TransposedBytes;
import tilewright.layout.Layout;
import tilewright.ptx.Operand;
import tilewright.ptx.PtxType;

/**
 * {@code mma} repeated over warps and over each warp's block of the C tile. Warps lie on the tile column-major; each
 * owns a block of tileM/warpsM × tileN/warpsN.
 */
public final class TiledMma {
  private final MmaAtom atom;
  private final int blockM;
  private final int blockN;
  private final Partition c;
  private final Partition a;
  private final Partition b;
  private final OperandLoad loadA;
  private final OperandLoad loadB;
  private final int tileK;

  /** How warps and majors are chosen; {@code kMajor} means neighbours along k. */
  public record Shape(int tileM, int tileN, int tileK, int warpsM, int warpsN, boolean aKMajor, boolean bKMajor) {
    public int threads() {
      return 32 * warpsM * warpsN;
    }

    /** Rows of a warp's block. */
    int blockM() {
      return tileM / warpsM;
    }

    /** Columns of a warp's block. */
    int blockN() {
      return tileN / warpsN;
    }
  }

  private TiledMma(MmaAtom atom, Shape s, Layout accumulators, OperandLoad loadB) {
    this.atom = atom;
    this.blockM = s.blockM();
    this.blockN = s.blockN();
    this.tileK = s.tileK;
    this.loadA = loadA(atom, s);
    this.loadB = loadB;
    this.c = Partition.exact(inOrder(accumulators, s, loadB.rows()), s.tileM, s.tileN);
    this.a = Partition.shared(operandLayout(loadA.lanes(), s.tileM, blockM,
        Layout.of(Layout.of(s.warpsM, blockM), Layout.of(s.warpsN, 0))), s.tileM, s.tileK);
    this.b = Partition.shared(operandLayout(loadB.lanes(), s.tileN, blockN,
        Layout.of(Layout.of(s.warpsM, 0), Layout.of(s.warpsN, blockN))), s.tileN, s.tileK);
  }

  private static OperandLoad loadA(MmaAtom atom, Shape s) {
    if (!atom.ofBytes()) return s.aKMajor ? LdMatrix.A_K_MAJOR : LdMatrix.A_M_MAJOR;
    if (!s.aKMajor) throw new TraceException("operand A of " + atom.operand().text() + " has its neighbours along k");
    return LdMatrix.A_K_MAJOR_BYTES;
  }

  private static OperandLoad loadB(MmaAtom atom, Shape s) {
    if (!atom.ofBytes()) return s.bKMajor ? LdMatrix.B_K_MAJOR : LdMatrix.B_N_MAJOR;
    return s.bKMajor ? LdMatrix.B_K_MAJOR_BYTES : TransposedBytes.B_N_MAJOR;
  }

  /** The accumulators' layout where the columns of each 16 come in an order that operand B's load gives them. */
  private static Layout inOrder(Layout accumulators, Shape s, Layout order) {
    if (order.equals(Layout.of(LdMatrix.TILE, 1))) return accumulators;
    var columns = Layout.of(s.tileN, s.tileM)
        .composition(Layout.of(order, Layout.of(s.tileN / LdMatrix.TILE, LdMatrix.TILE)));
    var place = Layout.of(Layout.of(s.tileM, 1), columns);
    return Layout.of(place.composition(accumulators.mode(0)), place.composition(accumulators.mode(1)));
  }

  public static TiledMma of(MmaAtom atom, Shape shape) {
    return of(atom, shape, accumulatorLayout(shape), loadB(atom, shape));
  }

  /** The tiled MMA whose operand B comes from shared memory in another way, such as by a conversion. */
  public static TiledMma withB(OperandLoad load, MmaAtom atom, Shape shape) {
    return of(atom, shape, accumulatorLayout(shape), load);
  }

  /**
   * The tiled MMA for a B whose rows lie in shared memory as {@link SwizzledTile#alongColumnsInRuns} places them.
   *
   * @param run neighbours along n that a thread's accumulators are: 4 or 8
   */
  public static TiledMma inRuns(MmaAtom atom, Shape shape, int run) {
    require(shape.tileN % (shape.warpsN * 4 * run) == 0, "tileN", shape.tileN, shape.warpsN * 4 * run);
    return of(atom, shape, accumulatorsInRuns(shape, run), loadB(atom, shape));
  }

  private static TiledMma of(MmaAtom atom, Shape shape, Layout accumulators, OperandLoad loadB) {
    require(shape.tileM % (shape.warpsM * MmaAtom.M) == 0, "tileM", shape.tileM, shape.warpsM * MmaAtom.M);
    require(shape.tileN % (shape.warpsN * LdMatrix.TILE) == 0, "tileN", shape.tileN, shape.warpsN * LdMatrix.TILE);
    require(shape.tileK % atom.depth() == 0, "tileK", shape.tileK, atom.depth());
    return new TiledMma(atom, shape, accumulators, loadB);
  }

  private static void require(boolean condition, String name, int value, int unit) {
    if (!condition) throw new TraceException(name + " = " + value + " is not a multiple of " + unit);
  }

  /** (lane and warp, values of an atom and its repetitions) → index in the M×N tile. */
  private static Layout accumulatorLayout(Shape s) {
    var inTile = Layout.of(Layout.of(MmaAtom.M, 1), Layout.of(MmaAtom.N, s.tileM)).composition(MmaAtom.C);
    var warps = Layout.of(Layout.of(s.warpsM, s.blockM()), Layout.of(s.warpsN, (long) s.blockN() * s.tileM));
    var repeats = Layout.of(Layout.of(s.blockM() / MmaAtom.M, MmaAtom.M),
        Layout.of(s.blockN() / MmaAtom.N, (long) MmaAtom.N * s.tileM));
    return Layout.of(Layout.of(inTile.mode(0), warps), Layout.of(inTile.mode(1), repeats));
  }

  /** The accumulators' layout where a lane's columns of run / 2 atoms are neighbours. */
  private static Layout accumulatorsInRuns(Shape s, int run) {
    long column = s.tileM;
    var lanes = Layout.of(Layout.of(4, run * column), Layout.of(8, 1));
    var warps = Layout.of(Layout.of(s.warpsM, s.blockM()), Layout.of(s.warpsN, s.blockN() * column));
    var inAtom = Layout.of(Layout.of(2, column), Layout.of(2, 8));
    var repeats = Layout.of(Layout.of(s.blockM() / MmaAtom.M, MmaAtom.M), Layout.of(run / 2, 2 * column),
        Layout.of(s.blockN() / (4 * run), 4 * run * column));
    return Layout.of(Layout.of(lanes, warps), Layout.of(inAtom, repeats));
  }

  /** (lane and warp, repetitions) → index of the row that a lane hands to ldmatrix. */
  private Layout operandLayout(Layout lanes, int tile, int block, Layout warps) {
    var inTile = Layout.of(Layout.of(LdMatrix.TILE, 1), Layout.of(atom.depth(), tile)).composition(lanes);
    var repeats = Layout.of(Layout.of(block / LdMatrix.TILE, LdMatrix.TILE),
        Layout.of(slices(), (long) atom.depth() * tile));
    return Layout.of(Layout.of(inTile, warps), repeats);
  }

  /** The elements of the C tile that a thread has: value v is register v mod 4 of atom v div 4. */
  public Partition accumulatorPartition() {
    return c;
  }

  /** The type of a register of accumulators. */
  public PtxType accumulatorType() {
    return atom.accumulatorType();
  }

  MmaAtom atom() {
    return atom;
  }

  /** Rows of a warp's block. */
  int blockM() {
    return blockM;
  }

  /** Creates the accumulators of a thread, all zero: one group per atom, rows of the block first. */
  public Fragment accumulators(Scope k) {
    var fragment = Fragment.of(k, atom.accumulatorType(), blockM / MmaAtom.M * (blockN / MmaAtom.N),
        atom.accumulatorRegisters());
    fragment.clear(k, atom.accumulatorType());
    return fragment;
  }

  /** Registers for one k-slice of A, one group an {@code ldmatrix}. */
  public Fragment fragmentA(Scope k) {
    return Fragment.of(k, PtxType.B32, blockM / LdMatrix.TILE, 4);
  }

  /** Registers for one k-slice of B, one group an {@code ldmatrix}. */
  public Fragment fragmentB(Scope k) {
    return Fragment.of(k, PtxType.B32, blockN / LdMatrix.TILE, 4);
  }

  /** Loads the k-slice of A at a stage of shared memory. */
  public void loadA(Scope k, I32 thread, SharedTensor tile, I32 stage, int slice, Fragment into) {
    load(k, loadA, a, thread, tile, stage, slice, into);
  }

  /** Loads the k-slice of B at a stage of shared memory. */
  public void loadB(Scope k, I32 thread, SharedTensor tile, I32 stage, int slice, Fragment into) {
    load(k, loadB, b, thread, tile, stage, slice, into);
  }

  private static void load(Scope k, OperandLoad atom, Partition partition, I32 thread, SharedTensor tile, I32 stage,
      int slice, Fragment into) {
    int repeats = into.groups().size();
    for (int i = 0; i < repeats; i++) {
      var place = partition.coordinate(thread, i + slice * repeats);
      atom.load(k, tile.at(place[0], place[1], stage), into.group(i));
    }
  }

  /**
   * Accumulates one k-slice: all atoms of the block, rows back and forth so that neighbours share an operand. (Columns
   * back and forth were 2 % slower on an H200.)
   */
  public void multiply(Scope k, Fragment a, Fragment b, Fragment accumulators) {
    multiply(k, a, b, accumulators, plain());
  }

  /** One atom's multiplication: the {@code i}-th along m, the {@code j}-th along n of the warp's block. */
  public interface Multiply {
    void multiply(Scope k, int i, int j, List<Operand.Register> a, List<Operand.Register> b,
        List<Operand.Register> sums);
  }

  /** The atom's own multiplication. */
  public Multiply plain() {
    return (k, _, _, left, right, sums) -> atom.multiply(k, left, right, sums);
  }

  /** The multiplication of a k-slice of 8-bit floats as f16, where B comes straight from shared memory. */
  public Multiply converted() {
    return new ConvertedMma(atom);
  }

  /** Accumulates one k-slice by another instruction whose operands lie as the atom's do. */
  public void multiply(Scope k, Fragment a, Fragment b, Fragment accumulators, Multiply instruction) {
    int rows = blockM / MmaAtom.M;
    int columns = blockN / MmaAtom.N;
    for (int j = 0; j < columns; j++) {
      for (int step = 0; step < rows; step++) {
        int i = j % 2 == 0 ? step : rows - 1 - step;
        var pair = b.group(j / 2);
        instruction.multiply(k, i, j, a.group(i), pair.subList(j % 2 * 2, j % 2 * 2 + 2),
            accumulators.group(i + j * rows));
      }
    }
  }

  /**
   * Accumulates one k-slice with B straight from shared memory: two columns of atoms at a time, so that few registers
   * hold B.
   */
  public void multiply(Scope k, I32 thread, Fragment a, SharedTensor tileB, I32 stage, int slice,
      Fragment accumulators) {
    multiply(k, thread, a, tileB, stage, slice, accumulators, plain());
  }

  /** Like {@link #multiply(Scope, I32, Fragment, SharedTensor, I32, int, Fragment)}, by another instruction. */
  public void multiply(Scope k, I32 thread, Fragment a, SharedTensor tileB, I32 stage, int slice,
      Fragment accumulators, Multiply instruction) {
    int rows = blockM / MmaAtom.M;
    int pairs = blockN / LdMatrix.TILE;
    for (int pair = 0; pair < pairs; pair++) {
      var registers = Fragment.of(k, PtxType.B32, 1, 4).group(0);
      var place = b.coordinate(thread, pair + slice * pairs);
      loadB.load(k, tileB.at(place[0], place[1], stage), registers);
      for (int i = 0; i < rows; i++) {
        for (int j = 0; j < 2; j++) {
          instruction.multiply(k, i, 2 * pair + j, a.group(i), registers.subList(2 * j, 2 * j + 2),
              accumulators.group(i + (2 * pair + j) * rows));
        }
      }
    }
  }

  /** Slices of k in this tile. */
  public int slices() {
    return tileK / atom.depth();
  }

  /** The element along k of the tile that operand B has in each place along k. */
  public Layout orderOfB() {
    return loadB.depths(tileK);
  }

  /** Slices of k in a tile of 16-bit operands. */
  public static int slices(int tileK) {
    return tileK / MmaAtom.K;
  }
}
