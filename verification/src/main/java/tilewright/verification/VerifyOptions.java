package tilewright.verification;

import java.util.Set;
import tilewright.verification.cases.Case;

/**
 * The choice of cases, backends and seeds for a run of {@link Verification}.
 *
 * @param kernels names in the catalogue; empty for all
 * @param archs such as {@code sm80}; empty for all
 * @param backends of {@code sim}, {@code gpu} and {@code both}, which compares the two bit by bit
 * @param seed of inputs and of the simulator's schedule, the first one
 * @param seeds how many, one after the other
 */
public record VerifyOptions(Set<String> kernels, Set<String> archs, Set<String> backends, Size size, long seed,
    int seeds) {
  /** How much: {@code QUICK} takes seconds, {@code FULL} every configuration. */
  public enum Size { QUICK, FULL }

  public VerifyOptions {
    kernels = Set.copyOf(kernels);
    archs = Set.copyOf(archs);
    backends = Set.copyOf(backends);
    if (seeds < 1) throw new IllegalArgumentException("invalid number of seeds " + seeds + ": 1 or more");
  }

  public static VerifyOptions defaults() {
    return new VerifyOptions(Set.of(), Set.of(), Set.of("sim", "gpu"), Size.QUICK, 1, 1);
  }

  boolean includes(Case c) {
    return (kernels.isEmpty() || kernels.contains(c.kernel())) && (archs.isEmpty() || archs.contains(c.arch()))
        && (size == Size.FULL || c.quick());
  }
}
