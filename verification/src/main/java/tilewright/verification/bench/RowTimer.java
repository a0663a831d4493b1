package tilewright.verification.bench;

import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.Supplier;
import tilewright.device.Gpu;
import tilewright.device.Stream;
import tilewright.kernels.registry.TimedProblem;

/** Times one row after the other on a GPU, in rounds in which each side has its turn. */
record RowTimer(Gpu gpu, Stream stream, Limits limits, Optional<Peers> peers, DeviceInputs inputs, int warmMs) {
  /** Many and short: at its power limit a GPU changes its clock every few milliseconds, and all shall meet the same. */
  private static final int ROUNDS = 9;
  /** Rounds of a measurement in which each side runs long enough to settle at its own clock. */
  private static final int WARM_ROUNDS = 5;

  /** Nothing where this GPU does not run the kernel. */
  Optional<BenchmarkRecord.Row> measure(String kernel, Supplier<TimedProblem> problem,
      Consumer<String> step) {
    var measured = problem.get();
    if (!runs(gpu, measured.arch())) {
      step.accept(kernel + ": skipped, it needs " + measured.arch());
      return Optional.empty();
    }
    step.accept(kernel + " " + measured.config());
    var rounds = new Rounds();
    boolean alone = measured.peer().isEmpty() || peers.isEmpty();
    var request = new HashMap<>(measured.peer());
    request.putAll(Map.of("warmMs", warmMs, "iterations", KernelTimer.RUNS));
    try (var timer = new KernelTimer(gpu, stream, measured, inputs)) {
      for (int round = 0; round < (warmMs > 0 ? WARM_ROUNDS : ROUNDS); round++) {
        rounds.add(timer.round(warmMs), alone ? Map.of() : peers.get().times(request));
      }
    }
    return Optional.of(row(measured, rounds));
  }

  private BenchmarkRecord.Row row(TimedProblem measured, Rounds rounds) {
    var rates = new HashMap<String, Double>();
    rounds.peers().forEach((name, ms) -> rates.put(name, rate(measured, ms)));
    var ours = rounds.ours();
    double rate = rate(measured, ours.median());
    var floor = Optional.of(limits.floorMs(measured)).filter(Double::isFinite).map(ms -> rate(measured, ms));
    var ratios = rounds.ratios();
    return new BenchmarkRecord.Row(measured.kernel(), measured.arch(), measured.config(),
        measured.operations() == 0 ? "TB/s" : "TFLOP/s", rate, ours.median(), ours.spread(), measured.bytes(),
        measured.operations(), floor, floor.map(f -> rate / f), rates, ratios.map(Sample::median),
        ratios.map(Sample::spread));
  }

  private static double rate(TimedProblem measured, double ms) {
    return (measured.operations() == 0 ? measured.bytes() : measured.operations()) / ms * 1e-9;
  }

  static boolean runs(Gpu gpu, String arch) {
    int capability = gpu.properties().capability();
    return switch (arch) {
      case "sm90" -> capability == 90;
      case "sm100" -> capability == 100;
      default -> capability >= 80;
    };
  }
}
