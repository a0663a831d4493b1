package tilewright.simulator.core;

import tilewright.simulator.Finding.Kind;

/** Which thread began an asynchronous operation, and where in the program. */
record Issuer(Warp warp, int lane, int site) {
  Cta cta() {
    return warp.cta;
  }

  Fault invalid(long address, String what) {
    return new Fault(Kind.INVALID_OPERATION, site, lane, address, warp.who(lane) + " " + what);
  }

  /** Such as {@code a bulk copy of 64 bytes by thread …}, for reports of deadlocks. */
  String describe(String what) {
    return what + " by " + warp.who(lane) + warp.cta.at(site);
  }
}
