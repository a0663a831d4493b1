package tilewright.kernel.collective;

import tilewright.kernel.I32;
import tilewright.kernel.Pred;
import tilewright.kernel.Scope;
import tilewright.kernel.tiled.Fragment;
import tilewright.kernel.tiled.TiledMma;

/** The scales of blocks of operands that a stage of {@link MultistageMainloop} holds beside them. */
public interface StageScales {

  /** Starts the copies of a tile's scales into a stage, where the tile is there. */
  void copy(Scope k, I32 thread, I32 tile, I32 stage, Pred there);

  /** Registers for the scales of one k-slice. */
  Fragment fragment(Scope k);

  /** Loads the scales of a k-slice at a stage. */
  void load(Scope k, I32 thread, I32 stage, int slice, Fragment into);

  /** The multiplication of a k-slice by scales that were loaded. */
  TiledMma.Multiply by(int slice, Fragment scales);
}
