package tilewright.simulator.mma;

import tilewright.simulator.tensorcore.MmaType;

/**
 * The stored elements of a structured sparse matrix A (PTX ISA, Matrix multiply-accumulate operation using
 * mma.sp). Every four bits tell the positions of what is stored of a chunk: two of four elements, or of four pairs of
 * 4-bit elements, or, of two tf32 elements, one, as two halves. The lanes of a quad hold the bits of its row and of the
 * row eight further down. Floating point: sixteen bits of the one in a lane's lower half, of the other in the upper
 * half; integers: 32 bits of the one in even lanes, of the other in odd lanes. (As an H200 reads them.)
 */
public final class SparseMetadata {
  private static final int WORD = 32;
  private static final int PART = 16;
  private static final int QUAD = 4;

  private final int[] lanes;
  private final int first;
  private final MmaType type;

  /**
   * @param lanes the metadata operand
   * @param selector which lanes of a quad give it, when not all do
   * @param stored elements per row
   */
  public SparseMetadata(int[] lanes, int selector, int stored, MmaType type) {
    this.lanes = lanes;
    this.type = type;
    int bits = type == MmaType.TF32 ? QUAD * stored : type.bits() == QUAD ? stored : 2 * stored;
    first = selector * (bits / PART) % QUAD;
  }

  private int bits(int row, int at, int count) {
    int quad = row % 8 * QUAD + first;
    int lower = row / 8;
    if (type.isInteger() || type.bits() == Byte.SIZE) {
      return lanes[quad + lower + at / WORD * 2] >>> at % WORD & (1 << count) - 1;
    }
    return lanes[quad + at / PART] >>> at % PART + PART * lower & (1 << count) - 1;
  }

  /** The column of A in which a stored element of a row stands. */
  public int column(int row, int stored) {
    if (type == MmaType.TF32) return 2 * stored + (bits(row, QUAD * stored, 2) >> 1);
    int run = type.bits() == QUAD ? 2 : 1;
    int index = stored / run;
    return index / 2 * QUAD * run + bits(row, 2 * index, 2) * run + stored % run;
  }
}
