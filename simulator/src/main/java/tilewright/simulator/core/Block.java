package tilewright.simulator.core;

/**
 * A basic block as the scheduler knows it. Blocks are numbered so that running the lowest first makes diverged lanes
 * meet again at the immediate post-dominator at the latest.
 *
 * @param end how control leaves
 * @param next the fall-through block
 * @param taken the target of a conditional branch
 * @param targets of an indexed branch
 * @param index the register slot that selects among {@code targets}
 * @param instructions for the statistics
 * @param converge which lanes must be here together before the block may run
 * @param site the first instruction
 * @param sites all its instructions
 * @param synchronises whether threads synchronise there; only known of stepwise code
 */
public record Block(End end, int next, int taken, int[] targets, int index, int instructions, Converge converge,
    int site, int[] sites, boolean synchronises) {
  /** How control leaves a block. */
  public enum End { NEXT, BRANCH, INDEXED, SUSPEND, RETRY, EXIT }

  /**
   * Lanes that execute an instruction together.
   *
   * @param slot the integer register that holds the mask; negative: {@code mask} is it
   */
  public record Converge(int slot, int mask) {
    public static final Converge NONE = new Converge(-1, 0);
    public static final Converge ALL = new Converge(-1, -1);
  }
}
