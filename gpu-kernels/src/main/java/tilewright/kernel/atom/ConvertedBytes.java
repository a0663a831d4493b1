package tilewright.kernel.atom;

import java.util.List;
import java.util.stream.Stream;
import tilewright.kernel.Element;
import tilewright.kernel.Scope;
import tilewright.layout.Layout;
import tilewright.ptx.Operand;
import tilewright.ptx.PtxType;

/**
 * Two column blocks of B for {@code mma.m16n8k16} of f16 from e4m3 numbers in shared memory, which become f16 in
 * registers. {@code ldmatrix} moves pairs of bytes, so that columns or k come out in another order: {@link #rows} and
 * {@link #depths}, which follow from the fragments of the two instructions.
 */
public final class ConvertedBytes implements OperandLoad {
  /** (lane, (value, register, column block)) → (column, k) of the fragment: two column blocks of B of mma. */
  private static final Layout FRAGMENT = Layout.parse("((4,8),(2,2,2)):((32,1),(16,128,8))");
  /** Registers of {@code ldmatrix.x2}. */
  private static final int LOADED = 2;
  /** {@code prmt} selectors: the even and the odd bytes of two registers. */
  private static final List<Integer> PARTED = List.of(0x6420, 0x7531);

  /** Neighbours along k: a lane has four of them of a column. */
  public static final ConvertedBytes B_K_MAJOR = new ConvertedBytes(Layout.parse("(16,2):(1,0)"), false,
      Layout.parse("((4,8),(2,2,2)):((64,1),(16,32,8))"));
  /** Neighbours along n: a lane has two columns of two neighbours along k, which {@code prmt} parts. */
  public static final ConvertedBytes B_N_MAJOR = new ConvertedBytes(Layout.parse("(16,2):(16,0)"), true,
      Layout.parse("((4,8),(2,2,2)):((32,2),(16,128,1))"));

  private final Layout lanes;
  private final boolean transposed;
  private final Layout moved;

  /** @param held (lane, (value, register, column block)) → (column, k) of the tile in memory, once converted */
  private ConvertedBytes(Layout lanes, boolean transposed, Layout held) {
    this.lanes = lanes;
    this.transposed = transposed;
    this.moved = held.composition(FRAGMENT.rightInverse())
        .composition(Layout.columnMajor(LdMatrix.TILE, MmaAtom.K));
  }

  @Override
  public Layout lanes() {
    return lanes;
  }

  @Override
  public Layout rows() {
    return Layout.of(Layout.of(LdMatrix.TILE, 1), Layout.of(MmaAtom.K, 0)).composition(moved.mode(0)).coalesce();
  }

  @Override
  public Layout depths(int extent) {
    var within = Layout.of(Layout.of(LdMatrix.TILE, 0), Layout.of(MmaAtom.K, 1)).composition(moved.mode(1));
    return Layout.of(within, Layout.of(extent / MmaAtom.K, MmaAtom.K)).coalesce();
  }

  @Override
  public void load(Scope k, Element row, List<Operand.Register> destination) {
    var loaded = Stream.generate(() -> k.newRegister(PtxType.B32)).limit(LOADED).toList();
    row.requireAligned(LdMatrix.TILE);
    k.emit("ldmatrix.sync.aligned.m8n8.x2" + (transposed ? ".trans" : "") + ".shared.b16",
        new Operand.Vector(List.copyOf(loaded)), row.address());
    for (int block = 0; block < LOADED; block++) {
      var bytes = transposed ? parted(k, loaded, PARTED.get(block)) : loaded.get(block);
      HalvesOfBytes.convert(k, bytes, destination.get(2 * block), destination.get(2 * block + 1));
    }
  }

  private static Operand.Register parted(Scope k, List<Operand.Register> loaded, int selector) {
    var bytes = k.newRegister(PtxType.B32);
    k.emit("prmt.b32", bytes, loaded.get(0), loaded.get(1), new Operand.Integer(selector));
    return bytes;
  }
}
