package tilewright.simulator.wgmma;

import tilewright.simulator.core.Cta;
import tilewright.simulator.core.Warp;

/** The units of a CTA for {@code wgmma}. Every {@link Cta} that runs has them. */
public interface WgmmaUnits {
  static WgmmaUnits of(Cta cta) {
    return (WgmmaUnits) cta;
  }

  Warpgroup warpgroup(int index);

  /** The state of a warp of the CTA. */
  WgmmaWarp wgmma(Warp warp);

  /** The unit that multiplies for warpgroups. */
  WgmmaUnit wgmma();
}
