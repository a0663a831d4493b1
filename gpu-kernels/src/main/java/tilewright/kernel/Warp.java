package tilewright.kernel;

/** The threads that an SM issues together. */
public final class Warp {
  /** Threads of a warp, on every architecture. */
  public static final int SIZE = 32;

  private Warp() {}
}
