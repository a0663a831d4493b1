package tilewright.kernel.atom;

import java.util.List;
import java.util.stream.Stream;
import tilewright.kernel.Element;
import tilewright.kernel.Scope;
import tilewright.layout.Layout;
import tilewright.ptx.Operand;
import tilewright.ptx.PtxType;

/**
 * Two column blocks of B for {@code mma.m16n8k32}, 8-bit elements with neighbours along n: {@code ldmatrix.trans} moves
 * pairs of columns, and {@code prmt} parts the pairs and joins rows. Nothing else moves between lanes, because columns
 * and k come out in another order: {@link #rows} and {@link #depths}, which follow from the fragments of the two
 * instructions and of {@code mma}.
 */
public final class TransposedBytes implements OperandLoad {
  /** The load of B with neighbours along n. */
  public static final TransposedBytes B_N_MAJOR = new TransposedBytes();

  private static final int K = 32;
  /** A lane addresses a row of k: 16 neighbours along n. */
  private static final Layout LANES = Layout.of(K, LdMatrix.TILE);
  private static final LdMatrix LOAD = new LdMatrix(LANES, true);
  /** ldmatrix.x4.trans of pairs: (lane, (column of the pair, row, register)) → (column, k) of the tile. */
  private static final Layout LOADED = Layout.parse("((4,8),(2,2,4)):((32,2),(1,16,128))");
  /** prmt: (byte of a register, register) after it → byte that was loaded. */
  private static final Layout PERMUTED = Layout.parse("((2,2),(2,2)):((2,4),(8,1))");
  /** Two column blocks of B of mma: (lane, (byte, register, column block)) → (column, k) of the fragment. */
  private static final Layout FRAGMENT = Layout.parse("((4,8),(4,2,2)):((64,1),(16,256,8))");
  /** {@code prmt} selectors: the even and the odd bytes of two registers. */
  private static final List<Integer> SELECTORS = List.of(0x6420, 0x7531);
  private static final int REGISTERS = 4;
  private static final Layout MOVED = moved();

  private TransposedBytes() {}

  /** Element of the fragment's 16×32 tile → element of the tile in memory. */
  private static Layout moved() {
    var held = Layout.of(LOADED.mode(0), LOADED.mode(1).composition(PERMUTED));
    return held.composition(FRAGMENT.rightInverse()).composition(Layout.columnMajor(LdMatrix.TILE, K));
  }

  @Override
  public Layout lanes() {
    return LANES;
  }

  @Override
  public Layout rows() {
    return Layout.of(Layout.of(LdMatrix.TILE, 1), Layout.of(K, 0)).composition(MOVED.mode(0)).coalesce();
  }

  @Override
  public Layout depths(int extent) {
    var within = Layout.of(Layout.of(LdMatrix.TILE, 0), Layout.of(K, 1)).composition(MOVED.mode(1));
    return Layout.of(within, Layout.of(extent / K, K)).coalesce();
  }

  @Override
  public void load(Scope k, Element row, List<Operand.Register> destination) {
    var loaded = Stream.generate(() -> k.newRegister(PtxType.B32)).limit(REGISTERS).toList();
    LOAD.load(k, row, loaded);
    for (int i = 0; i < REGISTERS; i++) {
      int pair = i % 2 * 2;
      k.emit("prmt.b32", destination.get(i), loaded.get(pair), loaded.get(pair + 1),
          new Operand.Integer(SELECTORS.get(i / 2)));
    }
  }
}
