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
  /** Runs of sixteen bytes that a division has. */
  private static final int DIVIDED_RUNS = 3;

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
    } else if (d.absolute()) {
      return divided(row * d.swizzle().span() + group * d.stride(), along);
    } else {
      int units = d.swizzle().span() / CORE_BYTES;
      offset = row * d.swizzle().span() + along % units * CORE_BYTES + group * d.stride() + beyond(along / units);
    }
    return d.address(offset);
  }

  /**
   * The address of a run of 48 bytes along k, of which those from the end of the first row of 128 bytes on, or where
   * they all lie in it the last one, begin at the address that the descriptor has for the leading dimension (PTX ISA,
   * Absolute address mode for K dimension being 48B).
   */
  private int divided(int offset, int along) {
    var d = descriptor;
    if (d.swizzle() != Swizzle.B128 || !depthMajor || d.baseOffset() != 0) {
      throw new IllegalArgumentException("an address of the second chunk goes with swizzled rows of 128 bytes along k "
          + "and without a base offset only");
    }
    int begin = d.start() % d.swizzle().span();
    int first = Math.min(DIVIDED_RUNS - 1, (d.swizzle().span() - begin) / CORE_BYTES);
    return along < first ? d.address(offset + along * CORE_BYTES)
        : d.swizzle().apply(d.leading() + offset + (along - first) * CORE_BYTES);
  }

  /** The offset of the n-th repetition in the leading dimension. */
  private int beyond(int n) {
    var d = descriptor;
    return n * d.leading();
  }
}
