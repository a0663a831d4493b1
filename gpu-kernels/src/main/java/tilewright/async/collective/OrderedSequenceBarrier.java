package tilewright.async.collective;

/**
 * One warpgroup's place among several that do something one after the other, round and round (CUTLASS,
 * OrderedSequenceBarrier).
 */
public interface OrderedSequenceBarrier {

  /** Waits for this warpgroup's turn. */
  void await();

  /** Gives the next warpgroup its turn. */
  void pass();
}
