package tilewright.simulator.core;

/** The generated code of one kernel. */
public interface BlockCode {
  /**
   * Executes one basic block for the lanes in {@code mask}.
   *
   * @return for a conditional branch, the lanes that take it; for a barrier, nonzero when the lanes must wait
   */
  int execute(int block, Warp warp, int mask);
}
