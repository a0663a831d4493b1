package tilewright.simulator.async;

import tilewright.simulator.core.Cta;
import tilewright.simulator.core.Warp;

/** The units of a CTA for asynchronous copies. Every {@link Cta} that runs has them. */
public interface CopyUnits {
  static CopyUnits of(Cta cta) {
    return (CopyUnits) cta;
  }

  BulkGroups groups();

  /** The {@code cp.async} copies of a warp of the CTA. */
  AsyncCopies copies(Warp warp);
}
