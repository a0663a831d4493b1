package tilewright.simulator.core;

import tilewright.simulator.Finding.Kind;

/** The thread that began an asynchronous operation, and the place in the program. */
public record Issuer(Warp warp, int lane, int site) {
  public Cta cta() {
    return warp.cta;
  }

  public Fault invalid(long address, String what) {
    return new Fault(Kind.INVALID_OPERATION, site, lane, address, warp.who(lane) + " " + what);
  }

  /** Names an operation for reports of deadlocks, such as {@code a bulk copy of 64 bytes by thread …}. */
  public String describe(String what) {
    return what + " by " + warp.who(lane) + warp.cta.at(site);
  }
}
