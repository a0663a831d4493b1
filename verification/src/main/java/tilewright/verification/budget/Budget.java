package tilewright.verification.budget;

import java.util.Arrays;
import java.util.Comparator;

/**
 * A lower bound on a kernel's time on a chip, and an estimate. The bound assumes that all units overlap perfectly, so
 * no measurement is faster. The estimate lets units hinder each other as much as they did on an H200. Neither is a
 * measurement.
 *
 * @param kernel such as {@code sm100_attention}
 * @param problem that it computes
 * @param configuration that it is traced in
 * @param step what a CTA does in a step of its main loop
 * @param tile what it does for a tile beside its steps
 * @param work tiles and steps of the whole problem
 */
public record Budget(String kernel, String problem, String configuration, ChipRates rates, Counts step, Counts tile,
    Work work) {
  /**
   * Times t of units that work beside each other take (Σ tᵖ)^(1/p) together: with p = 1 one after the other, with
   * p = ∞ as long as the longest. The one fitted number of the model: with it the recorded rates of the Hopper GEMM
   * and of Hopper attention are on average those expected.
   */
  static final double OVERLAP = 2.2;
  private static final double PERFECT = Double.POSITIVE_INFINITY;

  /**
   * The amount of work of a problem.
   *
   * @param tiles of all CTAs, each tile counted for every CTA that works on it
   * @param steps of all of them
   * @param longest steps of the longest tile
   * @param operations that the problem asks for, in those of 16 bits
   * @param bytes that have to cross global memory
   * @param overlapped whether a tile is finished while the next is computed
   */
  public record Work(double tiles, double steps, double longest, double operations, double bytes,
      boolean overlapped) {
    boolean isOfEqualTiles() {
      return longest * tiles <= steps * (1 + 1e-9);
    }
  }

  /** The counts of one CTA for a tile of average length. */
  public Counts average() {
    return tile.plus(step.times(work.steps / work.tiles));
  }

  /** Cycles that a unit takes for a tile of average length. */
  public double cycles(Unit unit) {
    return rates.cycles(average(), unit);
  }

  /** The unit that takes the most. */
  public Unit bottleneck() {
    return Arrays.stream(Unit.values()).max(Comparator.comparingDouble(this::cycles)).orElseThrow();
  }

  /** Whether global memory takes longer than all units of the SMs. */
  public boolean isMemoryBound() {
    return memory() > computing(PERFECT);
  }

  /** Seconds that nothing can undercut. */
  public double seconds() {
    return Math.max(computing(PERFECT), memory());
  }

  /** Seconds if units hinder each other as on an H200. */
  public double expectedSeconds() {
    return together(OVERLAP, computing(OVERLAP), memory());
  }

  /** TFLOP/s that the bound leaves, of the operations that the problem asks for. */
  public double tflops() {
    return work.operations / seconds() / 1e12;
  }

  /** TFLOP/s by the expectation. */
  public double expectedTflops() {
    return work.operations / expectedSeconds() / 1e12;
  }

  /** The part of the tensor cores' peak that the bound leaves. */
  public double attainable() {
    return tflops() / rates.peak();
  }

  private double memory() {
    return work.bytes / rates.bytesPerSecond();
  }

  /** Seconds of the SMs, of which the last tiles may leave some idle. */
  private double computing(double overlap) {
    double each = work.overlapped ? cycles(average(), overlap)
        : cycles(tile, overlap) + cycles(step, overlap) * work.steps / work.tiles;
    double share = work.tiles / rates.chip().multiprocessors();
    // Tiles of unequal length fill the gaps, but the longest has to end too.
    double cycles = work.isOfEqualTiles() ? Math.ceil(share) * each
        : Math.max(share * each, cycles(tile, overlap) + cycles(step, overlap) * work.longest);
    return cycles / (rates.gigahertz() * 1e9);
  }

  private double cycles(Counts counts, double overlap) {
    return together(overlap, Arrays.stream(Unit.values()).mapToDouble(u -> rates.cycles(counts, u)).toArray());
  }

  private static double together(double overlap, double... times) {
    double most = Arrays.stream(times).max().orElseThrow();
    if (most == 0 || overlap == PERFECT) return most;
    return most * Math.pow(Arrays.stream(times).map(t -> Math.pow(t / most, overlap)).sum(), 1 / overlap);
  }
}
