package tilewright.kernel.atom;

import java.util.List;
import tilewright.kernel.Element;
import tilewright.kernel.Scope;
import tilewright.layout.Layout;
import tilewright.ptx.Operand;

/**
 * {@code ldmatrix.x4}: four 8×8 matrices of 16-bit elements from shared memory into one register each (PTX ISA,
 * Warp-level matrix load; SM75). Every lane gives the address of one row of eight neighbours; the layouts say of
 * which.
 *
 * @param lanes lane → column-major index in the 16×16 tile (rows of A or columns of B first, then k)
 * @param transposed whether neighbours run along the first mode instead of k
 */
public record LdMatrix(Layout lanes, boolean transposed) implements OperandLoad {
  /** A of {@code mma}, neighbours along k: registers are (m0,k0), (m8,k0), (m0,k8), (m8,k8). */
  public static final LdMatrix A_K_MAJOR = new LdMatrix(Layout.parse("(16,2):(1,128)"), false);
  /** A with neighbours along m. */
  public static final LdMatrix A_M_MAJOR = new LdMatrix(Layout.parse("(8,2,2):(16,8,128)"), true);
  /** Two column blocks of B, neighbours along k: registers are (n0,k0), (n0,k8), (n8,k0), (n8,k8). */
  public static final LdMatrix B_K_MAJOR = new LdMatrix(Layout.parse("(8,2,2):(1,128,8)"), false);
  /** Two column blocks of B with neighbours along n. */
  public static final LdMatrix B_N_MAJOR = new LdMatrix(Layout.parse("(8,2,2):(16,128,8)"), true);

  /** {@link #A_K_MAJOR} for bytes, which move in pairs: the tile is 16×32. */
  public static final LdMatrix A_K_MAJOR_BYTES = new LdMatrix(Layout.parse("(16,2):(1,256)"), false);
  /** {@link #B_K_MAJOR} for bytes, which move in pairs: the tile is 16×32. */
  public static final LdMatrix B_K_MAJOR_BYTES = new LdMatrix(Layout.parse("(8,2,2):(1,256,8)"), false);

  /** Rows (or columns) of what one instruction loads, and for 16-bit elements its k extent. */
  public static final int TILE = 16;
  /** Bytes of a matrix's row. */
  private static final int ROW_BYTES = 16;

  /** Loads into four registers; {@code row} is the first of this lane's 16 bytes. */
  @Override
  public void load(Scope k, Element row, List<Operand.Register> destination) {
    var name = "ldmatrix.sync.aligned.m8n8.x4" + (transposed ? ".trans" : "") + ".shared.b16";
    row.requireAligned(ROW_BYTES / row.type().bytes());
    k.emit(name, new Operand.Vector(List.copyOf(destination)), row.address());
  }
}
