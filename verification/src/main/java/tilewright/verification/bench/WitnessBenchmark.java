package tilewright.verification.bench;

import com.sun.management.OperatingSystemMXBean;
import java.lang.foreign.MemorySegment;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import tilewright.numerics.ElementType;
import tilewright.ptx.Launch;
import tilewright.simulator.SimulatorOptions;
import tilewright.simulator.witness.WgmmaGemm;
import tilewright.verification.cases.Buffers;

/** Times whole tensor-core programs as a user waits for them: by the clock, on two cores, the first run too. */
final class WitnessBenchmark {
  /** The name under which {@code bench} knows it. */
  static final String WGMMA = "wgmma_gemm";

  private static final int THREADS = 2;
  private static final List<Problem> PROBLEMS =
      List.of(new Problem(1024, 1024, 1024, 7, true), new Problem(512, 16384, 2048, 3, false));

  private WitnessBenchmark() {}

  private record Problem(int m, int n, int k, int runs, boolean sanitized) {
    @Override
    public String toString() {
      return m + "x" + n + "x" + k;
    }
  }

  static List<SimulatorRecord.Clocked> run(Consumer<String> progress) {
    var rows = new ArrayList<SimulatorRecord.Clocked>();
    for (var problem : PROBLEMS) {
      progress.accept(WGMMA + " " + problem);
      rows.add(measure(problem));
    }
    return rows;
  }

  private static SimulatorRecord.Clocked measure(Problem p) {
    var machine = ManagementFactory.getPlatformMXBean(OperatingSystemMXBean.class);
    double load = machine.getSystemLoadAverage();
    var launch = launch(p);
    var plain = SimulatorOptions.defaults().withThreads(THREADS);
    var seconds = new ArrayList<Double>();
    var cpuSeconds = new ArrayList<Double>();
    for (int i = 0; i < p.runs(); i++) {
      long before = machine.getProcessCpuTime();
      seconds.add(CaseBenchmark.time(launch, plain));
      cpuSeconds.add((machine.getProcessCpuTime() - before) * 1e-9);
    }
    var sanitized = p.sanitized() ? Optional.of(CaseBenchmark.time(launch, plain.withSanitizer(true))) : Optional.<Double>empty();
    return new SimulatorRecord.Clocked(WGMMA, p.toString(), THREADS, seconds, cpuSeconds, sanitized, load);
  }

  private static Launch launch(Problem p) {
    MemorySegment a = Buffers.normal(ElementType.BF16, (long) p.m() * p.k(), 1);
    MemorySegment b = Buffers.normal(ElementType.BF16, (long) p.n() * p.k(), 2);
    return WgmmaGemm.launch(p.m(), p.n(), p.k(), a, b, Buffers.poisoned(ElementType.F32, (long) p.m() * p.n()));
  }
}
