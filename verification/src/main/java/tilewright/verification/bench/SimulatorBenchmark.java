package tilewright.verification.bench;

import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Consumer;
import tilewright.kernels.registry.KernelRegistry;
import tilewright.ptx.Launch;

/**
 * Times the simulator on one core, in CPU time, which other work on the machine disturbs least, and whole programs on
 * two cores by the clock. The core's own speed may change from second to second, so kernels take turns, and what
 * compares two of them comes from turns of the same round.
 */
public final class SimulatorBenchmark {
  private static final double WARM_SECONDS = 0.5;
  /** Turns in a row that are no faster, by a tenth, than the fastest before: C2 has compiled what takes the time. */
  private static final int WARM_TURNS = 4;
  private static final double SANITIZED_WARM_SECONDS = 0.5;
  private static final double TURN_SECONDS = 0.2;
  private static final int ROUNDS = 9;
  private static final int SANITIZED_ROUNDS = 3;

  private SimulatorBenchmark() {}

  /**
   * The kernels to measure: square GEMM problems of one size, the naive kernel on f32 and the one for tensor cores on
   * bf16, and a Hopper GEMM by {@code wgmma}, whose sizes are fixed. Every other kernel runs its largest case.
   *
   * @param kernels catalogue names, and that of the Hopper GEMM
   * @param commit of the sources, for the record
   */
  public record Options(List<String> kernels, int size, String commit) {
    /** The kernels that have a benchmark of their own. */
    public static final List<String> KERNELS =
        List.of(SimulatedGemm.NAIVE, SimulatedGemm.TENSOR, WitnessBenchmark.WGMMA);

    public Options {
      kernels = List.copyOf(kernels);
    }
  }

  /** Times the kernels; the record has no cold start yet. */
  public static SimulatorRecord run(KernelRegistry registry, Options options, Consumer<String> progress) {
    var clocked = new ArrayList<SimulatorRecord.Clocked>();
    // Before the others: what they leave compiled would make its first run look better than a user's.
    if (options.kernels().contains(WitnessBenchmark.WGMMA)) clocked.addAll(WitnessBenchmark.run(progress));
    clocked.addAll(CaseBenchmark.run(registry, options.kernels().stream().filter(kernel -> !Options.KERNELS.contains(kernel))
        .toList(), progress));
    var gemms = options.kernels().stream().filter(SimulatedGemm.NAMES::contains).distinct()
        .map(kernel -> SimulatedGemm.of(kernel, options.size())).toList();
    boolean vectors = ModuleLayer.boot().findModule("jdk.incubator.vector").isPresent();
    return new SimulatorRecord(LocalDate.now(ZoneOffset.UTC).toString(), Processor.name(), Runtime.version().toString(),
        vectors, options.commit(), rows(gemms, progress), clocked, Optional.empty());
  }

  /** A launch so small that running it is mostly starting; its buffers are byte arrays, as for writing to files. */
  public static Launch smallLaunch() {
    return SimulatedGemm.small();
  }

  private static List<SimulatorRecord.Row> rows(List<SimulatedGemm> gemms, Consumer<String> progress) {
    var rounds = rounds(gemms, progress);
    var naive = gemms.stream().filter(gemm -> gemm.kernel().equals(SimulatedGemm.NAIVE)).findFirst();
    var rows = new ArrayList<SimulatorRecord.Row>();
    for (var gemm : gemms) {
      progress.accept(gemm.kernel() + " with the sanitizer");
      var ratio = naive.filter(_ -> gemm.kernel().equals(SimulatedGemm.TENSOR))
          .flatMap(peer -> rounds.get(gemm.kernel()).ratios()
              .map(faster -> faster.times(gemm.multiplications() / peer.instructions())));
      rows.add(row(gemm, rounds.get(gemm.kernel()).ours().median(), ratio));
    }
    return rows;
  }

  /** Runs a kernel until further runs are no faster; on a busy machine no fixed time is enough for the compiler. */
  private static void warm(SimulatedGemm gemm) {
    double fastest = Double.POSITIVE_INFINITY;
    for (int settled = 0; settled < WARM_TURNS;) {
      double ms = new Sample(gemm.times(gemm.whole(), SimulatedGemm.PLAIN, WARM_SECONDS)).median();
      settled = ms < 0.9 * fastest ? 0 : settled + 1;
      fastest = Math.min(fastest, ms);
    }
  }

  /** Runs all kernels in turns; a kernel's rounds have the naive one, where it takes part, as their peer. */
  private static Map<String, Rounds> rounds(List<SimulatedGemm> gemms, Consumer<String> progress) {
    var rounds = new TreeMap<String, Rounds>();
    for (var gemm : gemms) {
      progress.accept(gemm.kernel());
      warm(gemm);
      rounds.put(gemm.kernel(), new Rounds());
    }
    for (int round = 0; round < ROUNDS; round++) {
      progress.accept("round " + (round + 1) + " of " + ROUNDS);
      var peer = new TreeMap<String, Double>();
      var turns = new TreeMap<String, List<Double>>();
      for (var gemm : gemms) {
        var times = gemm.times(gemm.whole(), SimulatedGemm.PLAIN, TURN_SECONDS);
        turns.put(gemm.kernel(), times);
        if (gemm.kernel().equals(SimulatedGemm.NAIVE)) peer.put(gemm.kernel(), new Sample(times).median());
      }
      turns.forEach((kernel, times) -> rounds.get(kernel).add(times, peer));
    }
    return rounds;
  }

  /** Times a quarter of the kernel's rows too, without and with the sanitizer, each beside the other in every round. */
  private static SimulatorRecord.Row row(SimulatedGemm gemm, double ms, Optional<Sample> ratio) {
    gemm.times(gemm.quarter(), SimulatedGemm.PLAIN, 0);
    gemm.times(gemm.quarter(), SimulatedGemm.SANITIZED, SANITIZED_WARM_SECONDS);
    var sanitized = new Rounds();
    var whole = new Rounds();
    for (int round = 0; round < SANITIZED_ROUNDS; round++) {
      var quarter = gemm.times(gemm.quarter(), SimulatedGemm.PLAIN, TURN_SECONDS);
      var checked = new Sample(gemm.times(gemm.quarter(), SimulatedGemm.SANITIZED, TURN_SECONDS));
      var all = new Sample(gemm.times(gemm.whole(), SimulatedGemm.PLAIN, TURN_SECONDS));
      sanitized.add(quarter, Map.of("sanitized", checked.median()));
      whole.add(quarter, Map.of("whole", all.median()));
    }
    int size = gemm.size();
    long instructions = gemm.instructions();
    return new SimulatorRecord.Row(gemm.kernel(), size + "x" + size + "x" + size, instructions, ms,
        instructions / ms * 1e-6, gemm.multiplications() / ms * 1e-6, sanitized.ratios().orElseThrow().median(),
        ms / SimulatedGemm.ctas(gemm.whole()) * 1e3,
        ms / whole.ratios().orElseThrow().median() / SimulatedGemm.ctas(gemm.quarter()) * 1e3,
        ratio.map(Sample::median), ratio.map(Sample::spread));
  }
}
