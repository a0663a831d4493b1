package tilewright.sm90.collective;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import tilewright.kernel.Element;
import tilewright.kernel.F32;
import tilewright.kernel.GlobalTensor;
import tilewright.kernel.I32;
import tilewright.kernel.Scope;
import tilewright.kernel.TensorSpec;
import tilewright.kernel.TraceException;
import tilewright.numerics.ElementType;

/**
 * Scales of 8-bit floats in blocks: A has one for a row and 128 of k, B one for 128 rows and 128 of k (DeepSeek-V3).
 * Consumers read them from global memory, where a step's are few and each is read again by many CTAs.
 *
 * @param a (M, K/128, L)
 * @param b (N/128, K/128, L), where B has scales
 */
public record BlockScales(Scope k, GlobalTensor a, Optional<GlobalTensor> b) {
  /** Rows of B and steps of k that share a scale. */
  public static final int BLOCK = 128;
  /** Of a block of 64 rows a thread has values in two. */
  static final int ROWS = 2;

  /** Declares tensors SA and SB, of which the latter has an entry for each of so many matrices B. */
  public static BlockScales of(Scope k, String batchOfB) {
    return new BlockScales(k, scalesOfA(k),
        Optional.of(k.global(TensorSpec.of("SB", ElementType.F32, "NB", "KB", batchOfB))));
  }

  /** Declares tensor SA alone. */
  public static BlockScales ofA(Scope k) {
    return new BlockScales(k, scalesOfA(k), Optional.empty());
  }

  private static GlobalTensor scalesOfA(Scope k) {
    return k.global(TensorSpec.of("SA", ElementType.F32, "M", "KB", "L"));
  }

  /**
   * Reads the scales of a step: of a thread's two rows of each block, and of each piece of columns.
   *
   * @param m the first row of the tile; likewise n
   */
  Factors read(TiledWgmma mma, I32 group, I32 lane, I32 step, I32 m, I32 n, I32 batch, I32 of) {
    if (mma.depth() != BLOCK || BLOCK % mma.pieceColumns() != 0) {
      throw new TraceException("pieces of " + mma.pieceColumns() + " columns and " + mma.depth()
          + " of k have no scale of their own: blocks are " + BLOCK + " wide");
    }
    var rows = ofRows(mma, group, lane, step, m, batch).stream().map(Element::load).toList();
    var columns = new ArrayList<F32>();
    for (int i = 0; i < mma.pieces() / mma.blocks(); i++) {
      var block = n.plus(mma.column(i)).dividedBy(BLOCK);
      b.ifPresent(scales -> columns.add(scales.at(block.min(scales.extent(0).plus(-1)), step, of).load()));
    }
    return new Factors(rows, columns);
  }

  /**
   * The scales of A alone: of a thread's two rows of each block, for 128 of k; behind the last are those of the last.
   */
  List<Element> ofRows(TiledWgmma mma, I32 group, I32 lane, I32 step, I32 m, I32 batch) {
    var rows = new ArrayList<Element>();
    var partition = mma.partition();
    var inside = step.min(a.extent(1).plus(-1));
    for (int block = 0; block < mma.blocks(); block++) {
      for (int value = 0; value < 2 * ROWS; value += 2) {
        var row = m.plus(mma.row(group, block)).plus(partition.coordinate(lane, value)[0]);
        // What is beyond the last row is multiplied by anything, and not stored.
        rows.add(a.at(row.min(a.extent(0).plus(-1)), inside, batch));
      }
    }
    return rows;
  }

  /** The scales of a step. */
  record Factors(List<F32> rows, List<F32> columns) {
    /** What the products of a thread's first or second row of a piece are multiplied by. */
    F32 of(TiledWgmma mma, int piece, int row) {
      var ofRow = rows.get(ROWS * mma.block(piece) + row);
      return columns.isEmpty() ? ofRow : ofRow.times(columns.get(piece % columns.size()));
    }
  }
}
