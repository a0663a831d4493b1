package tilewright.verification;

import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import tilewright.kernel.Chip;
import tilewright.kernels.registry.KernelRegistry;
import tilewright.verification.cases.Case;
import tilewright.verification.cases.Catalogue;
import tilewright.verification.cases.FamilyCases;

/**
 * The choice of cases, backends and seeds for a run of {@link Verification}.
 *
 * @param kernels names in the catalogue; empty for all
 * @param settings of the families among them: with any, only these settings are verified, on the families' extents
 * @param archs such as {@code sm80}; empty for all
 * @param backends of {@code sim}, {@code gpu} and {@code both}, which compares the two bit by bit
 * @param seed of inputs and of the simulator's schedule, the first one
 * @param seeds how many, one after the other
 * @param chip that the simulator stands for and kernels are assembled for; empty for each kernel's own target
 */
public record VerifyOptions(Set<String> kernels, Map<String, String> settings, Set<String> archs, Set<String> backends,
    Size size, long seed, int seeds, Optional<Chip> chip) {
  /** How much: {@code QUICK} what a fixed budget pays for, {@code FULL} every configuration. */
  public enum Size {
    QUICK, FULL;

    public String text() {
      return name().toLowerCase(Locale.ROOT);
    }
  }

  public VerifyOptions {
    kernels = Set.copyOf(kernels);
    settings = Map.copyOf(settings);
    archs = Set.copyOf(archs);
    backends = Set.copyOf(backends);
    if (seeds < 1) throw new IllegalArgumentException("invalid number of seeds " + seeds + ": 1 or more");
  }

  public static VerifyOptions defaults() {
    return new VerifyOptions(Set.of(), Map.of(), Set.of(), Set.of("sim", "gpu"), Size.QUICK, 1, 1, Optional.empty());
  }

  /** The seeds of the runs, in order. */
  List<Long> allSeeds() {
    return LongStream.range(0, seeds).map(i -> seed + i).boxed().toList();
  }

  /** The cases to choose from, with inputs of that seed. */
  List<Case> cases(KernelRegistry registry, long inputs) {
    if (settings.isEmpty()) return Catalogue.cases(registry, inputs);
    return registry.families().stream().filter(family -> kernels.contains(family.name()))
        .flatMap(family -> FamilyCases.chosen(family, settings, inputs).stream()).toList();
  }

  /** Returns the places of the cases that are verified, in their order. */
  List<Integer> places(List<Case> cases) {
    var included = IntStream.range(0, cases.size()).filter(i -> includes(cases.get(i))).boxed().toList();
    if (size == Size.FULL) return included;
    return QuickCases.of(included.stream().map(cases::get).toList()).stream().map(included::get).toList();
  }

  private boolean includes(Case c) {
    return (kernels.isEmpty() || kernels.contains(c.kernel())) && (archs.isEmpty() || archs.contains(c.arch()));
  }
}
