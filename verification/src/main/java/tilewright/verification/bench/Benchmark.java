package tilewright.verification.bench;

import java.util.Collection;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Predicate;
import tilewright.device.Gpu;
import tilewright.device.driver.GpuProbe;
import tilewright.kernels.registry.KernelRegistry;
import tilewright.verification.KernelConfiguration;

/** Times kernels on this machine's first GPU, beside their floor and, where a Python with PyTorch is at hand, peers. */
public final class Benchmark {
  private Benchmark() {}

  /**
   * The kernels to measure and the conditions.
   *
   * @param kernels names; empty for all
   * @param settings that narrow the choice, such as {@code dtype=bf16}, of the kernels that have such a setting
   * @param everyVariant whether to measure variants that differ in more than their type
   * @param size M, N and K of matrix products
   * @param warmMs how many milliseconds each side runs before it is timed, in every round, as at its power limit a
   *     GPU goes on for some time at the clock that the side before has left it; 0 for three runs
   * @param python the peers' interpreter; without one ours are measured alone
   * @param commit of the sources, for the record
   */
  public record Options(List<String> kernels, Map<String, String> settings, boolean everyVariant, int size,
      int warmMs, Optional<String> python, String commit) {
    public Options {
      kernels = List.copyOf(kernels);
      settings = Map.copyOf(settings);
    }
  }

  /** Told what happens meanwhile. */
  public interface Progress {
    /** A step begins. */
    void step(String description);

    /** The record so far, after each row: what remains when a run is cut short. */
    void partial(BenchmarkRecord record);
  }

  /** The kernels that can be measured. */
  public static List<String> kernels(KernelRegistry registry) {
    return new Suite(registry, new Options(List.of(), Map.of(), false, 1, 0, Optional.empty(), "")).names();
  }

  /**
   * Every configuration in which some kernels are measured: the suite's problems and one problem of every other form in
   * benchmark records in each variant, further problems of a form in the variant that is chosen for them.
   *
   * @param records as JSON, of {@link BenchmarkRecord} or of another form that names kernels or problems
   */
  public static List<KernelConfiguration> configurations(KernelRegistry registry, Predicate<String> kernels,
      Collection<String> records) {
    var settings = new LinkedHashSet<RecordedSettings>();
    kernels(registry).forEach(kernel -> settings.add(new RecordedSettings(kernel, Map.of())));
    records.forEach(record -> settings.addAll(RecordedSettings.in(registry, record)));
    var forms = new HashSet<RecordedSettings>();
    return settings.stream().filter(s -> kernels.test(s.kernel()))
        .flatMap(s -> s.configurations(registry, forms.add(s.form()))).toList();
  }

  /**
   * Measures all that the options choose.
   *
   * @throws BenchmarkException when there is no GPU, or the peers cannot be measured
   * @throws IllegalArgumentException when the options choose nothing
   */
  public static BenchmarkRecord run(KernelRegistry registry, Options options, Progress progress) {
    try (var session = BenchmarkSession.open(registry, options, progress::step)) {
      return session.all(progress::partial);
    }
  }

  static GpuProbe.Available requireGpu() {
    return switch (Gpu.probe()) {
      case GpuProbe.Available available -> available;
      case GpuProbe.Missing(var reason) -> throw new BenchmarkException("no GPU to measure on: " + reason);
    };
  }
}
