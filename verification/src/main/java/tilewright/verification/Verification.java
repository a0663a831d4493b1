package tilewright.verification;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.function.Predicate;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import tilewright.device.Gpu;
import tilewright.device.driver.GpuProbe;
import tilewright.kernel.Chip;
import tilewright.kernels.registry.KernelRegistry;
import tilewright.ops.TensorCoordinates;
import tilewright.ptx.Launch;
import tilewright.verification.backend.Backend;
import tilewright.verification.backend.GpuBackend;
import tilewright.verification.backend.SimulatorBackend;
import tilewright.verification.backend.TwinBackend;
import tilewright.verification.cases.Buffers;
import tilewright.verification.cases.Case;
import tilewright.verification.cases.Catalogue;

/** Runs every case of the catalogue on every backend and compares with the reference. */
public final class Verification {
  private Verification() {}

  /**
   * The cases that the options choose, on the backends that they choose, one row each, in order. With several seeds a
   * row stands for all of them, up to the first that fails.
   */
  public static List<Row> run(KernelRegistry registry, VerifyOptions options, Progress progress) {
    var kernels = limited(registry, options);
    var seeds = options.allSeeds();
    var all = seeds.stream().map(s -> options.cases(kernels, s)).toList();
    var places = options.places(all.getFirst());
    var rows = new ArrayList<Row>();
    var backends = backends(options);
    var assembly = new AssemblyCheck(options.chip());
    try {
      var cases = places.stream().map(all.getFirst()::get).toList();
      long price = cases.stream().mapToLong(Case::price).sum();
      long paid = 0;
      int total = places.size() * backends.size();
      for (int place : places) {
        var seeded = all.stream().map(of -> of.get(place)).toList();
        var first = seeded.getFirst();
        for (var backend : backends) {
          progress.begins(new Step(first.kernel(), first.config(), backend.name(), rows.size() + 1, total,
              (double) paid / Math.max(1, price)));
          var row = verify(seeded, seeds, backend, assembly, progress);
          progress.ends(row);
          rows.add(row);
        }
        paid += first.price();
      }
    } finally {
      backends.forEach(Backend::close);
    }
    return rows;
  }

  /** Returns the registry whose kernels keep the limits of the GPU that they run on, if there is one. */
  static KernelRegistry limited(KernelRegistry registry, VerifyOptions options) {
    var capability = capability(options);
    return capability.isPresent() ? registry.on(capability.getAsInt()) : registry;
  }

  /** The compute capability of the GPU whose limits kernels are to keep, if there is one. */
  private static OptionalInt capability(VerifyOptions options) {
    if (options.chip().isPresent()) return OptionalInt.of(options.chip().get().capability());
    boolean onGpu = options.backends().stream().anyMatch(name -> !name.equals("sim"));
    return onGpu && Gpu.probe() instanceof GpuProbe.Available(_, var devices)
        ? OptionalInt.of(devices.getFirst().capability()) : OptionalInt.empty();
  }

  /** Verifies one case with each of the seeds, up to the first that fails. */
  static Row verify(List<Case> seeded, List<Long> seeds, Backend backend, AssemblyCheck assembly,
      Progress progress) {
    var worst = Optional.<Row>empty();
    for (int i = 0; i < seeds.size(); i++) {
      var c = seeded.get(i);
      var row = verify(c, backend.seeded(seeds.get(i)), assembly);
      if (seeds.size() > 1) row = row.ofSeed(seeds.get(i), i + 1);
      if (row.status() == Row.Status.FAIL) progress.failed(row, () -> failing(c, backend));
      worst = Optional.of(worst.isPresent() ? worst.get().worse(row) : row);
      if (row.status() != Row.Status.PASS) break;
    }
    return worst.orElseThrow();
  }

  /** The first launch of a case that has findings, or its last one, as it was before it ran. */
  private static Launch failing(Case c, Backend backend) {
    int last = c.launches().get().launches().size() - 1;
    for (int i = 0; i < last; i++) {
      if (!backend.run(before(c, i, backend)).findings().isEmpty()) return before(c, i, backend);
    }
    return before(c, last, backend);
  }

  private static Launch before(Case c, int place, Backend backend) {
    var sequence = c.launches().get();
    var launches = sequence.on(Buffers.withWorkspace(sequence, c.inputs().get()));
    launches.subList(0, place).forEach(backend::run);
    return launches.get(place);
  }

  /** Names of all kernels that can be verified. */
  public static List<String> kernels(KernelRegistry registry) {
    return Catalogue.cases(registry, 0).stream().map(Case::kernel).distinct().toList();
  }

  /**
   * Every configuration of some kernels that a case verifies, every variant of the families among them at its default
   * extents, and GEMMs and attention of usual size, which tests assemble.
   *
   * @param chip that the kernels keep the limits of; empty for those of their own targets
   */
  public static List<KernelConfiguration> configurations(KernelRegistry all, Optional<Chip> chip,
      Predicate<String> kernels) {
    var registry = chip.map(gpu -> all.on(gpu.capability())).orElse(all);
    var verified = Catalogue.cases(registry, 0).stream().filter(c -> kernels.test(c.kernel()))
        .map(c -> new KernelConfiguration(c.kernel(), c.config(), () -> c.launches().get().launches()));
    var variants = registry.families().stream().filter(family -> kernels.test(family.name()))
        .flatMap(family -> family.variants().stream().map(variant -> new KernelConfiguration(family.name(),
            variant.toString(), () -> List.of(family.workload(variant).launch()))));
    var large = Stream.concat(LargeGemms.all(), LargeAttention.all(chip)).filter(c -> kernels.test(c.kernel()));
    return Stream.of(verified, variants, large).flatMap(part -> part).toList();
  }

  static List<Backend> backends(VerifyOptions options) {
    var backends = new ArrayList<Backend>();
    if (options.backends().contains("sim")) {
      backends.add(options.chip().map(chip -> SimulatorBackend.of(options.seed(), chip))
          .orElseGet(() -> new SimulatorBackend(options.seed())));
    }
    if (options.backends().contains("gpu")) backends.add(GpuBackend.open());
    if (options.backends().contains(TwinBackend.NAME)) {
      backends.add(TwinBackend.of(GpuBackend.open(), options.seed()));
    }
    return backends;
  }

  /** Like {@link #verify(Case, Backend)}, but fails if an assembler rejects the kernel. */
  static Row verify(Case c, Backend backend, AssemblyCheck assembly) {
    // A GPU's driver assembles what it runs.
    if (backend.refuses(c.arch()).isPresent() || !backend.name().equals("sim")
        || !c.backends().contains(backend.name())) return verify(c, backend);
    var launches = c.launches().get().launches();
    if (launches.stream().anyMatch(l -> backend.refuses(l.kernel()).isPresent())) return verify(c, backend);
    return launches.stream().flatMap(l -> assembly.rejection(l.kernel().ptx()).stream())
        .findFirst().map(reason -> Row.failed(c, backend.name(), reason)).orElseGet(() -> verify(c, backend));
  }

  /** Runs a case and compares with its reference. */
  static Row verify(Case c, Backend backend) {
    var refusal = backend.refuses(c.arch());
    if (refusal.isPresent()) return Row.skipped(c, backend.name(), refusal.get());
    if (!c.backends().containsAll(backend.parts())) {
      return Row.skipped(c, backend.name(), "too large for " + backend.name());
    }
    if (backend.parts().size() > 1 && !c.ordered()) {
      return Row.skipped(c, backend.name(), "the order of its float sums is open");
    }
    var sequence = c.launches().get();
    var excess = sequence.launches().stream().flatMap(l -> backend.refuses(l.kernel()).stream()).findFirst();
    if (excess.isPresent()) return Row.skipped(c, backend.name(), excess.get());
    var inputs = c.inputs().get();
    var buffers = c.inputs().get();
    var launches = sequence.on(Buffers.withWorkspace(sequence, buffers));
    var outcome = IntStream.range(0, launches.size())
        .mapToObj(i -> backend.run(launches.get(i), TensorCoordinates.of(sequence.launches().get(i))))
        .reduce(Backend.Outcome::then).orElseThrow();
    var verdict = c.check().compare(inputs, buffers, outcome.architecture());
    var reason = verdict.violation().or(() -> outcome.findings().stream().findFirst());
    return new Row(c.kernel(), c.arch(), backend.name(), c.config(), reason.isEmpty()
        ? Row.Status.PASS : Row.Status.FAIL,
        verdict.maxError(), verdict.meanError(), verdict.bitExact(), outcome.findings().size(), outcome.ms(),
            reason.orElse(""));
  }

  /**
   * A run that begins.
   *
   * @param number counted from 1, of {@code total}
   * @param done the part of the work before it, 0 to 1, as cases are priced
   */
  public record Step(String kernel, String config, String backend, int number, int total, double done) {}

  /** Told before each run, and of those that fail. */
  @FunctionalInterface
  public interface Progress {
    void begins(Step step);

    /** @param launch makes the launch again as it was before it ran */
    default void failed(Row row, Supplier<Launch> launch) {}

    /** Told of every verdict as it comes. */
    default void ends(Row row) {}
  }
}
