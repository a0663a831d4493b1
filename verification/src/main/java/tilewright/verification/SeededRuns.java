package tilewright.verification;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.function.BiConsumer;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import tilewright.kernels.registry.KernelRegistry;
import tilewright.verification.Verification.Progress;
import tilewright.verification.Verification.Step;
import tilewright.verification.backend.Backend;
import tilewright.verification.cases.Case;

/**
 * The runs of a verification, each of one case on one backend with one seed, so that several machines can share them and
 * an interrupted one can go on.
 */
public final class SeededRuns {
  private final VerifyOptions options;
  private final List<Run> runs;

  private record Run(RunKey key, Case of) {}

  private SeededRuns(VerifyOptions options, List<Run> runs) {
    this.options = options;
    this.runs = List.copyOf(runs);
  }

  /** Returns the runs that the options choose, in order; traces and runs nothing yet. */
  public static SeededRuns of(KernelRegistry registry, VerifyOptions options) {
    var kernels = Verification.limited(registry, options);
    var names = Stream.of("sim", "gpu", "both").filter(options.backends()::contains).toList();
    var seen = new HashMap<RunKey, Integer>();
    var runs = new ArrayList<Run>();
    for (long seed : options.allSeeds()) {
      var cases = options.cases(kernels, seed);
      for (int place : options.places(cases)) {
        var c = cases.get(place);
        for (var backend : names) {
          int number = seen.merge(new RunKey(c.kernel(), c.arch(), backend, c.config(), seed, 1), 1, Integer::sum);
          runs.add(new Run(new RunKey(c.kernel(), c.arch(), backend, c.config(), seed, number), c));
        }
      }
    }
    return new SeededRuns(options, runs);
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
    long price = Math.max(1, pending.stream().mapToLong(run -> run.of().price()).sum());
    long paid = 0;
    int number = 0;
    var backends = Verification.backends(options);
    var named = backends.stream().collect(Collectors.toMap(Backend::name, backend -> backend));
    var assembly = new AssemblyCheck(options.chip());
    try {
      for (var run : pending) {
        var key = run.key();
        progress.begins(new Step(key.kernel(), key.config(), key.backend(), ++number, pending.size(),
            (double) paid / price));
        var row = Verification.verify(List.of(run.of()), List.of(key.seed()), named.get(key.backend()), assembly,
            progress).withSeed(key.seed());
        progress.ends(row);
        result.accept(key, row);
        paid += run.of().price();
      }
    } finally {
      backends.forEach(Backend::close);
    }
  }
}
