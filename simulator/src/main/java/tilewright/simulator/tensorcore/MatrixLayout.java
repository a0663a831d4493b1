package tilewright.simulator.tensorcore;

/**
 * The canonical layouts of matrix operands in shared memory (PTX ISA, Strides; CuTe's GMMA and UMMA descriptors). A
 * matrix consists of core matrices of eight rows of sixteen bytes (four rows where chunks of 32 bytes are permuted);
 * how they stand side by side depends on the swizzle and on which extent, that of depth (K) or the other (M or N), lies
 * along the rows.
 *
 * @param depthMajor whether neighbours in depth are neighbours in memory
 * @param bits of an element in memory
 */
public record MatrixLayout(MatrixDescriptor descriptor, boolean depthMajor, int bits) {
  private static final int CORE_BYTES = 16;

  /** Elements that lie side by side, aligned to as many bytes: sixteen bytes of them. */
  public int run() {
    return CORE_BYTES * Byte.SIZE / bits;
  }

  /**
   * The shared-memory address of a run of sixteen bytes, a multiple of sixteen if the start is.
   *
   * @param outer row of A or column of B; a multiple of {@link #run} if it lies along the rows
   * @param depth a multiple of {@link #run} if depth lies along the rows
   */
  public int address(int outer, int depth) {
    int along = (depthMajor ? depth : outer) / run();
    int across = depthMajor ? outer : depth;
    var d = descriptor;
    int rows = d.swizzle().rows();
    int group = across / rows;
    int row = across % rows;
    int offset;
    if (d.swizzle() == Swizzle.NONE) {
      offset = row * CORE_BYTES + (depthMajor ? group * d.stride() + beyond(along)
          : along * d.stride() + beyond(group));
    } else {
      int units = d.swizzle().span() / CORE_BYTES;
      offset = row * d.swizzle().span() + along % units * CORE_BYTES + group * d.stride() + beyond(along / units);
    }
    return d.address(offset);
  }

  /** The offset of the n-th repetition in the leading dimension. */
  private int beyond(int n) {
    var d = descriptor;
    return n == 0 ? 0 : d.absolute() ? n * (d.leading() - d.start()) : n * d.leading();
  }
}
