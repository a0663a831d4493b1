package tilewright.sm100.atom;

import tilewright.kernel.Pred;
import tilewright.kernel.Scope;
import tilewright.kernel.TraceException;
import tilewright.kernel.Warp;
import tilewright.layout.Layout;
import tilewright.ptx.Operand;

/**
 * {@code tcgen05.mma.sp}: A has two of each four neighbours along k, of TF32 one of each two, and metadata in Tensor
 * Memory says which (PTX ISA, tcgen05.mma.sp, Sparse matrices; SM100).
 *
 * @param dense the instruction that multiplies as many elements of A
 */
public record SparseUmmaAtom(UmmaAtom dense) {
  private static final int SPARSE_BIT = 1 << 2;
  /** Columns of metadata of which the instruction descriptor selects one. */
  private static final int SELECTED = 4;
  /** The rows of a CTA that lie in 16 lanes of each warp. */
  private static final int HALF_ROWS = 64;

  public SparseUmmaAtom {
    if (dense.kind().scaled() || dense.deep()) {
      throw new TraceException("no sparse product of kind " + dense.kind() + " here: F16, TF32, F8F6F4 or I8");
    }
  }

  /** K of one instruction: the elements of a row of B; a row of A has half as many. */
  public int depth() {
    return 2 * dense.depth();
  }

  /** The layout of one CTA's rows of D, as {@link UmmaAtom#accumulator} has it; C where a pair has 128 rows. */
  public Layout accumulator() {
    return dense.rows() == HALF_ROWS ? Layout.parse("((16,4),%d):((65536,2097152),1)".formatted(dense.n()))
        : dense.accumulator();
  }

  /** Whether a word tells of half of the fours of two rows, not of all fours of one. */
  private boolean interleaved() {
    return dense.kind() == MmaKind.F16 || dense.kind() == MmaKind.TF32;
  }

  /** Columns of metadata of one instruction. */
  public int metadataColumns() {
    return interleaved() ? 1 : 2;
  }

  /**
   * Where the four bits lie that tell of a row's group of four neighbours, of TF32 of two: (row, group) → lane + 128 ·
   * place, of which a column has eight. The lower two bits are the place of the first element of A in its group, the
   * upper two that of the second. Of TF32, four bits are 4 for the first place and 14 for the second.
   */
  public Layout metadata() {
    // Sixteen rows, and the lanes from one sixteen to the next.
    int rows = 16;
    int lanes = dense.rows() == HALF_ROWS ? Warp.SIZE : rows;
    return Layout.parse((interleaved() ? "((8,2,%d),(4,2)):((1,512,%d),(128,8))" : "((16,%d),16):((1,%d),128)")
        .formatted(dense.rows() / rows, lanes));
  }

  /**
   * Multiplies both factors in shared memory.
   *
   * @param a descriptor of A's elements; {@code b} of B's
   * @param metadata of columns that others of this factor may share
   * @param selector which of four columns of metadata tells of these elements; 0 where there are two for each
   *     instruction
   * @param more false where D shall not be added
   */
  public void multiply(Scope k, TensorMemoryTile d, Operand.Register a, UmmaDescriptor formA, Operand.Register b,
      UmmaDescriptor formB, TensorMemoryTile metadata, int selector, Pred more) {
    if (selector < 0 || selector >= (interleaved() ? SELECTED : 1)) {
      throw new TraceException("no column " + selector + " of metadata is selected: "
          + (interleaved() ? "0 to 3" : "0") + " with kind " + dense.kind());
    }
    var form = new Operand.Integer(dense.descriptor(formA.kMajor(), formB.kMajor()) | SPARSE_BIT | selector);
    k.emit(dense.form().replace("tcgen05.mma", "tcgen05.mma.sp"), d.address(k), a, b, metadata.address(k), form,
        more.register());
  }
}
