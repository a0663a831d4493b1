package tilewright.layout.bank;

/**
 * Banks that each serve one word at a time.
 *
 * @param banks a power of two
 * @param wordBytes a power of two
 */
public record BankGeometry(int banks, int wordBytes) {
  /** NVIDIA's shared memory since compute capability 5.0: 32 banks of four bytes (CUDA C++ Programming Guide). */
  public static final BankGeometry SHARED_MEMORY = new BankGeometry(32, 4);

  /** Threads of a warp. */
  static final int WARP = 32;

  public BankGeometry {
    if (Integer.bitCount(banks) != 1 || Integer.bitCount(wordBytes) != 1 || banks < 1 || wordBytes < 1) {
      throw new IllegalArgumentException("invalid banks: " + banks + " of " + wordBytes
          + " bytes; both are powers of two");
    }
  }

  /** The bank of a byte. */
  public int bank(long address) {
    return (int) Math.floorMod(word(address), (long) banks);
  }

  /** The word of a byte. */
  public long word(long address) {
    return Math.floorDiv(address, (long) wordBytes);
  }

  /** Lanes of a warp that one phase serves: all, half of them for 8 bytes each, a quarter for 16. */
  public int lanesPerPhase(int accessBytes) {
    return Math.max(1, Math.min(WARP, banks * wordBytes / accessBytes));
  }
}
