package tilewright.simulator.tmem;

/**
 * Where the sparsity metadata of A lies in Tensor Memory (PTX ISA, Sparsity selector, with the atoms of CuTe's sparse
 * fragments). Each four bits tell of one chunk of a row. Where the elements have 16 or 32 bits a lane holds half of
 * the chunks of two rows, eight apart; where they have fewer it holds all chunks of one row, in two columns.
 */
public final class MetadataLayout {
  private static final int NIBBLE = 4;
  private static final int NIBBLES = Integer.SIZE / NIBBLE;
  private static final int ROWS = 16;
  private static final int HALF = 8;

  private MetadataLayout() {}

  /** Whether the rows are interleaved as those of 16-bit and 32-bit elements are. */
  private static boolean interleaved(MmaKind kind) {
    return kind == MmaKind.F16 || kind == MmaKind.TF32;
  }

  /** Chunks of a row: pairs of tf32, fours of 16 and 8 bits, eights of 4 bits. */
  public static int chunks(MmaKind kind) {
    return interleaved(kind) ? NIBBLES : 2 * NIBBLES;
  }

  /** Columns from the address on that a multiplication reads, or may select from. */
  public static int columns(MmaKind kind) {
    return interleaved(kind) ? 1 : 2;
  }

  /** The row whose lane holds the metadata of a chunk of {@code row}. */
  public static int rowOfLane(MmaKind kind, int row, int chunk) {
    if (!interleaved(kind)) return row;
    return row / ROWS * ROWS + HALF * (chunk / (NIBBLES / 2)) + row % HALF;
  }

  /** The column, from the selected one, of a chunk. */
  public static int column(MmaKind kind, int chunk) {
    return interleaved(kind) ? 0 : chunk / NIBBLES;
  }

  /** The lowest bit of a chunk's four. */
  public static int bit(MmaKind kind, int row, int chunk) {
    if (!interleaved(kind)) return NIBBLE * (chunk % NIBBLES);
    return Integer.SIZE / 2 * (row / HALF % 2) + NIBBLE * (chunk % (NIBBLES / 2));
  }
}
