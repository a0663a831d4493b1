package tilewright.verification.bench;

import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;
import tilewright.kernels.registry.KernelDescription;
import tilewright.kernels.registry.KernelRegistry;
import tilewright.kernels.registry.TimedProblem;
import tilewright.kernels.registry.Timing;
import tilewright.kernels.registry.TimingRequest;

/** The kernels that can be measured, each on its problems, by name. */
final class Suite {
  private final KernelRegistry registry;
  private final Benchmark.Options options;
  private final TimingRequest request;

  Suite(KernelRegistry registry, Benchmark.Options options) {
    this.registry = registry;
    this.options = options;
    request = new TimingRequest(options.settings(), options.everyVariant(), options.size());
  }

  /** All names, in the registry's order. */
  List<String> names() {
    return registry.kernels().stream().filter(k -> k.timing().isPresent()).map(KernelDescription::name).toList();
  }

  /** The problems of one kernel; each is traced when it is asked for. */
  List<Supplier<TimedProblem>> of(String name) {
    return timing(name).orElseThrow().problems(request);
  }

  private Optional<Timing> timing(String name) {
    return registry.find(name).flatMap(KernelDescription::timing);
  }

  /** @throws IllegalArgumentException when no chosen kernel has a setting, or the settings leave nothing to measure */
  void requireProblems() {
    for (var name : options.settings().keySet()) {
      boolean known = chosen().stream().flatMap(kernel -> timing(kernel).stream())
          .anyMatch(timing -> timing.settings().contains(name));
      if (!known) {
        throw new IllegalArgumentException("none of these kernels has a setting " + name);
      }
    }
    if (chosen().stream().allMatch(name -> of(name).isEmpty())) {
      throw new IllegalArgumentException("no variant of these kernels has the settings " + options.settings());
    }
  }

  /** The kernels that the options name, or all. */
  List<String> chosen() {
    return options.kernels().isEmpty() ? names() : options.kernels();
  }
}
