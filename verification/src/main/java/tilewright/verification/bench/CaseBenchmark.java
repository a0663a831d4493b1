package tilewright.verification.bench;

import com.sun.management.OperatingSystemMXBean;
import java.lang.foreign.MemorySegment;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import tilewright.kernel.LaunchSequence;
import tilewright.kernels.registry.KernelRegistry;
import tilewright.ptx.Launch;
import tilewright.simulator.Simulator;
import tilewright.simulator.SimulatorOptions;
import tilewright.verification.cases.Buffers;
import tilewright.verification.cases.Case;
import tilewright.verification.cases.Catalogue;

/** Times the simulator by the clock on any kernel: on the largest of the cases that it is verified on. */
final class CaseBenchmark {
  private static final int THREADS = 2;
  private static final int RUNS = 3;

  private CaseBenchmark() {}

  static List<SimulatorRecord.Clocked> run(KernelRegistry registry, List<String> kernels, Consumer<String> progress) {
    if (kernels.isEmpty()) return List.of();
    var cases = Catalogue.cases(registry, 1).stream().filter(c -> c.backends().contains("sim")).toList();
    var rows = new ArrayList<SimulatorRecord.Clocked>();
    for (var kernel : kernels) {
      var largest = largest(cases.stream().filter(c -> c.kernel().equals(kernel)).toList())
          .orElseThrow(() -> new BenchmarkException("no case of " + kernel + " is small enough for the simulator"));
      progress.accept(kernel + " " + largest.config());
      rows.add(measure(largest));
    }
    return rows;
  }

  /** The dearest case; of those that cost the same, the one with most memory. */
  static Optional<Case> largest(List<Case> cases) {
    return cases.stream().max(Comparator.comparingLong(Case::price).thenComparingLong(CaseBenchmark::bytes));
  }

  private static long bytes(Case c) {
    return c.inputs().get().values().stream().mapToLong(MemorySegment::byteSize).sum();
  }

  private static SimulatorRecord.Clocked measure(Case largest) {
    var machine = ManagementFactory.getPlatformMXBean(OperatingSystemMXBean.class);
    double load = machine.getSystemLoadAverage();
    var sequence = largest.launches().get();
    var plain = SimulatorOptions.defaults().withThreads(THREADS);
    var seconds = new ArrayList<Double>();
    var cpuSeconds = new ArrayList<Double>();
    for (int i = 0; i < RUNS; i++) {
      var launches = on(sequence, largest);
      long before = machine.getProcessCpuTime();
      seconds.add(time(launches, plain));
      cpuSeconds.add((machine.getProcessCpuTime() - before) * 1e-9);
    }
    double sanitized = time(on(sequence, largest), plain.withSanitizer(true));
    return new SimulatorRecord.Clocked(largest.kernel(), largest.config(), THREADS, seconds, cpuSeconds,
        Optional.of(sanitized), load);
  }

  private static List<Launch> on(LaunchSequence sequence, Case c) {
    return sequence.on(Buffers.withWorkspace(sequence, c.inputs().get()));
  }

  private static double time(List<Launch> launches, SimulatorOptions options) {
    return launches.stream().mapToDouble(launch -> time(launch, options)).sum();
  }

  /** Times a run in seconds from the PTX text to the results, loading included. */
  static double time(Launch launch, SimulatorOptions options) {
    long begin = System.nanoTime();
    var result = Simulator.load(launch.ptx()).run(launch, options);
    double seconds = (System.nanoTime() - begin) * 1e-9;
    if (!result.findings().isEmpty()) throw new IllegalStateException("a benchmark has " + result.findings());
    return seconds;
  }
}
