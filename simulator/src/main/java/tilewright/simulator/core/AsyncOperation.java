package tilewright.simulator.core;

/**
 * An operation that goes on by itself after the instruction that began it: a copy by the TMA, a product of the tensor
 * cores, an arrival that waits for copies. An {@link AsyncEngine} lets it take effect at a moment that the seed
 * chooses.
 *
 * <p>An operation takes effect as a whole. One whose parts may take effect apart, such as a multicast copy, is issued
 * as several operations.
 */
public interface AsyncOperation {
  /**
   * Whether the memory model allows it to take effect now. It may depend on nothing but operations that were issued
   * earlier, and so the earliest pending operation is always ready.
   */
  default boolean ready() {
    return true;
  }

  /** Takes effect: reads its sources, writes its results, signals. Called once, when {@link #ready()}. */
  void complete();

  /** The instruction that began it. */
  int site();

  /** Names the operation and its thread for reports of deadlocks, such as {@code a bulk copy … by thread (0,0,0)}. */
  String describe();
}
