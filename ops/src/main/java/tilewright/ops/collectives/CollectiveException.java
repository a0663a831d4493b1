package tilewright.ops.collectives;

/** A collective that failed: ranks that disagree or never come, or an error of NCCL. Its communicator is of no use. */
public final class CollectiveException extends RuntimeException {
  private static final long serialVersionUID = 1;

  public CollectiveException(String message) {
    super(message);
  }
}
