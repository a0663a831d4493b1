package tilewright.cli.cuda;

import com.fasterxml.jackson.annotation.JsonInclude;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import tilewright.simulator.Profile;
import tilewright.simulator.SimulationResult;

/** The kernels of a program: how often each was launched, and the profile of its first launch. */
final class KernelProfiles {
  private final Map<String, Counted> kernels = new HashMap<>();

  /**
   * The launches of a kernel.
   *
   * @param instructions of their threads
   * @param profile of the first, if that ran
   */
  record Counted(String kernel, long launches, long instructions,
      @JsonInclude(JsonInclude.Include.NON_ABSENT) Optional<Profile> profile) {
    private Counted and(Counted later) {
      return new Counted(kernel, launches + later.launches, instructions + later.instructions,
          profile.or(later::profile));
    }

    String describe() {
      return "kernel " + kernel + ": " + launches + (launches == 1 ? " launch, " : " launches, ") + instructions
          + " instructions of threads" + (launches > 1 && profile.isPresent() ? "; of the first:" : "");
    }
  }

  /** Whether a kernel has no profile yet: counting makes a launch slower. */
  synchronized boolean lacks(String kernel) {
    return !kernels.containsKey(kernel) || kernels.get(kernel).profile.isEmpty();
  }

  synchronized void ran(String kernel, SimulationResult result) {
    kernels.merge(kernel, new Counted(kernel, 1, result.instructions(), result.profile()), Counted::and);
  }

  /** All kernels, those with the most instructions first. */
  synchronized List<Counted> all() {
    return kernels.values().stream().sorted(Comparator.comparingLong(Counted::instructions).reversed()
        .thenComparing(Counted::kernel)).toList();
  }
}
