package tilewright.simulator.wgmma;

import tilewright.simulator.core.Warp;

/** The state of one warp for {@code wgmma}: the registers of the instruction being issued, and those in flight. */
public final class WgmmaWarp {
  WgmmaFragments fragments = new WgmmaFragments(0);
  final WgmmaWatch watch;

  public WgmmaWarp(Warp warp) {
    watch = new WgmmaWatch(warp);
  }

  static WgmmaWarp of(Warp warp) {
    return WgmmaUnits.of(warp.cta).wgmma(warp);
  }

  /** Makes it new for another CTA. */
  public void reset() {
    watch.reset();
  }
}
