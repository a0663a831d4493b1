package tilewright.simulator.sync;

import tilewright.simulator.core.Cta;

/** The units of a CTA for synchronisation. Every {@link Cta} that runs has them. */
public interface SyncUnits {
  static SyncUnits of(Cta cta) {
    return (SyncUnits) cta;
  }

  Barriers barriers();

  Mbarriers mbarriers();

  RegisterPool registers();

  /** The barrier of the CTA's cluster. */
  ClusterBarrier clusterBarrier();
}
