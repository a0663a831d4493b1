package tilewright.verification.budget;

/**
 * The marginal work of a CTA for one step of its main loop, and for one tile beside its steps. Both are differences of
 * launches with more of one and as many of the other, so that the work done once per launch cancels.
 */
record Marginal(Counts step, Counts tile) {
  private static final int TILES = 1;

  /** A launch of a kernel on one CTA, or one cluster. */
  @FunctionalInterface
  interface Traced {
    /** Counts the work of one CTA for a number of tiles with a number of steps each. */
    Counts counts(int tiles, int steps);
  }

  /** @param steps of a small tile: so many that the loop is in its steady state */
  static Marginal of(Traced kernel, int steps) {
    var few = kernel.counts(TILES, steps);
    var step = kernel.counts(TILES, 2 * steps).minus(few).times(1.0 / (TILES * steps));
    var tile = kernel.counts(2 * TILES, steps).minus(few).times(1.0 / TILES).minus(step.times(steps));
    return new Marginal(step, tile);
  }
}
