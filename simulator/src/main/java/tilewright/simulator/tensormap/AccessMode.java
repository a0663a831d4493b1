package tilewright.simulator.tensormap;

/** The encoding function that made a tensor map. */
public enum AccessMode {
  TILED, IM2COL, IM2COL_W, IM2COL_W128
}
