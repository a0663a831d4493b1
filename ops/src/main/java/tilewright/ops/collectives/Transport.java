package tilewright.ops.collectives;

import java.util.List;

/** Moves tensors among ranks, on behalf of one of them. */
interface Transport {
  /** Begins transfers together, behind the operators so far. */
  Work start(List<Transfer> transfers);

  /**
   * Waits for all transfers so far, at most the timeout.
   *
   * @throws CollectiveException when one failed or did not end
   */
  void await();

  /** Notes whether the transfers from now on are those of a capture or of the run before it. */
  default void prepareCapture(boolean begins) {}

  /**
   * Notes that captured transfers are about to be made again.
   *
   * @throws CollectiveException when this or another rank has failed
   */
  void beforeReplay();

  /** Closes captured calls before this ends, unless they are forgotten. */
  default void keep(CapturedTransfers captured) {}

  default void forget(CapturedTransfers captured) {}

  /** Ends all transfers of this rank, and those of other ranks in this process. */
  void abort(String reason);

  void close();
}
