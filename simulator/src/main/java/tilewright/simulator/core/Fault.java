package tilewright.simulator.core;

import java.util.Optional;
import tilewright.simulator.Finding;

/** Ends a launch from inside generated code. It carries a finding, so it needs no stack trace. */
final class Fault extends RuntimeException {
  private static final long serialVersionUID = 1;
  static final int NO_SITE = -1;
  static final int NO_LANE = 0;

  final Finding.Kind kind;
  final int site;
  final int lane;
  final long address;
  private Warp warp;

  Fault(Finding.Kind kind, int site, int lane, long address, String message) {
    super(message, null, false, false);
    this.kind = kind;
    this.site = site;
    this.lane = lane;
    this.address = address;
  }

  /** Blames a warp that need not be running, such as one whose asynchronous operation went wrong. */
  Fault by(Warp w) {
    warp = w;
    return this;
  }

  /** Whose fault it is, where that was said; the running warp's otherwise. */
  Optional<Warp> warp() {
    return Optional.ofNullable(warp);
  }
}
