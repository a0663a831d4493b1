package tilewright.ops.collectives;

/** Transfers that have begun beside the operators. Their tensors stay open and unchanged until they are joined. */
@FunctionalInterface
public interface Work {
  /** Makes the operators that are called from now on wait for the transfers. Joining again does nothing. */
  void join();
}
