package tilewright.simulator.tensormap;

/** Which of the encoding functions made a tensor map. */
public enum AccessMode {
  TILED, IM2COL, IM2COL_W, IM2COL_W128
}
