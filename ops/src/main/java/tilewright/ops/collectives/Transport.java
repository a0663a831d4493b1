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

  /** Ends all transfers of this rank, and those of other ranks in this process. */
  void abort(String reason);

  void close();
}
