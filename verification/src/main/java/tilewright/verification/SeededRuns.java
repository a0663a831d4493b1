package tilewright.verification;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.function.BiConsumer;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import tilewright.kernels.registry.KernelRegistry;
import tilewright.verification.Verification.Progress;
import tilewright.verification.Verification.Step;
import tilewright.verification.backend.Backend;
import tilewright.verification.backend.TwinBackend;

/**
 * The runs of a verification, each of one case on one backend with one seed. Several machines can share them, and an
 * interrupted one can go on.
 */
public final class SeededRuns {
  private final VerifyOptions options;
  private final KernelRegistry kernels;
  private final List<Run> runs;

  /** @param place of its case among those of any seed */
  private record Run(RunKey key, int place, long price) {}

  private SeededRuns(VerifyOptions options, KernelRegistry kernels, List<Run> runs) {
    this.options = options;
    this.kernels = kernels;
    this.runs = List.copyOf(runs);
  }

  /** Returns the runs that the options choose, seed by seed; traces and runs nothing yet. */
  public static SeededRuns of(KernelRegistry registry, VerifyOptions options) {
    var kernels = Verification.limited(registry, options);
    var backends = Stream.of("sim", "gpu", TwinBackend.NAME).filter(options.backends()::contains).toList();
    var cases = options.cases(kernels, options.seed());
    var places = options.places(cases);
    var seen = new HashMap<RunKey, Integer>();
    var runs = new ArrayList<Run>();
    for (long seed : options.allSeeds()) {
      for (int place : places) {
        var c = cases.get(place);
        for (var backend : backends) {
          int number = seen.merge(new RunKey(c.kernel(), c.arch(), backend, c.config(), seed, 1), 1, Integer::sum);
          runs.add(new Run(new RunKey(c.kernel(), c.arch(), backend, c.config(), seed, number), place, c.price()));
        }
      }
    }
    return new SeededRuns(options, kernels, runs);
  }

  public List<RunKey> keys() {
    return runs.stream().map(Run::key).toList();
  }

  /**
   * Makes the runs that are chosen.
   *
   * @param result takes each run's row as soon as there is a verdict
   */
  public void run(Predicate<RunKey> chosen, Progress progress, BiConsumer<RunKey, Row> result) {
    var pending = runs.stream().filter(run -> chosen.test(run.key())).toList();
    var bySeed = pending.stream().collect(Collectors.groupingBy(run -> run.key().seed(), LinkedHashMap::new,
        Collectors.toList()));
    long price = Math.max(1, pending.stream().mapToLong(Run::price).sum());
    long paid = 0;
    int number = 0;
    var backends = Verification.backends(options);
    var named = backends.stream().collect(Collectors.toMap(Backend::name, backend -> backend));
    var assembly = new AssemblyCheck(options.chip());
    try {
      for (long seed : bySeed.keySet()) {
        var cases = options.cases(kernels, seed);
        for (var run : bySeed.get(seed)) {
          var key = run.key();
          progress.begins(new Step(key.kernel(), key.config(), key.backend(), ++number, pending.size(),
              (double) paid / price));
          var row = Verification.verify(List.of(cases.get(run.place())), List.of(seed), named.get(key.backend()),
              assembly, progress).withSeed(seed);
          progress.ends(row);
          result.accept(key, row);
          paid += run.price();
        }
      }
    } finally {
      backends.forEach(Backend::close);
    }
  }
}
