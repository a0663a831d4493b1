package tilewright.simulator.core;

import java.util.Optional;
import tilewright.simulator.Finding;

/** Ends a launch from inside generated code. It carries a finding, so it needs no stack trace. */
public final class Fault extends RuntimeException {
  private static final long serialVersionUID = 1;
  public static final int NO_SITE = -1;
  public static final int NO_LANE = 0;

  public final Finding.Kind kind;
  public final int site;
  public final int lane;
  public final long address;
  private transient Warp warp;

  public Fault(Finding.Kind kind, int site, int lane, long address, String message) {
    super(message, null, false, false);
    this.kind = kind;
    this.site = site;
    this.lane = lane;
    this.address = address;
  }

  /** Blames a warp that need not be running, such as one whose asynchronous operation went wrong. */
  public Fault by(Warp w) {
    warp = w;
    return this;
  }

  /** The warp to blame, where one was named; otherwise it is the running one. */
  public Optional<Warp> warp() {
    return Optional.ofNullable(warp);
  }
}
