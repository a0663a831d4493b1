package tilewright.simulator.mma;

import tilewright.simulator.core.Cta;

/** The units of a CTA that multiply warp by warp. Every {@link Cta} that runs has them. */
public interface MmaUnits {
  static MmaUnits of(Cta cta) {
    return (MmaUnits) cta;
  }

  TensorCores tensorCores();

  MmaUnit mma();

  WmmaTransfer wmma();
}
