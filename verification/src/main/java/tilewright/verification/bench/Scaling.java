package tilewright.verification.bench;

/** The lengths of causal sequences on several devices that are compared with one on a single device. */
public enum Scaling {
  /** One sequence, whose work the devices share. */
  STRONG,
  /**
   * A longer sequence that gives each device the work of the single one. Work grows with the square of the length, so
   * N devices get √N times the tokens.
   */
  WEAK;

  /** Chunks of a longer sequence are multiples of this number of tokens, so that they consist of whole tiles. */
  private static final int TILE = 128;

  /** Returns the tokens on all devices, rounded to two chunks of whole tiles for each where they are not the same. */
  int tokens(int onOne, int devices) {
    if (this == STRONG || devices == 1) return onOne;
    double chunk = onOne * Math.sqrt(devices) / (2 * devices);
    return Math.toIntExact(2L * devices * TILE * Math.max(1, Math.round(chunk / TILE)));
  }
}
