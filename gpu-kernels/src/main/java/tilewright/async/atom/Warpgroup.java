package tilewright.async.atom;

import tilewright.kernel.Warp;

/** Four neighbouring warps, the first of a multiple of four: what multiplies or owns Tensor Memory together. */
public final class Warpgroup {
  /** Warps of a warpgroup. */
  public static final int WARPS = 4;
  /** Threads of a warpgroup. */
  public static final int SIZE = WARPS * Warp.SIZE;

  private Warpgroup() {}
}
