package tilewright.verification;

import java.lang.foreign.MemorySegment;
import java.lang.management.ManagementFactory;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;
import tilewright.kernel.PreparedLaunch;
import tilewright.kernels.Gemm;
import tilewright.kernels.GemmProblem;
import tilewright.numerics.ElementType;
import tilewright.ptx.Dim3;
import tilewright.ptx.Launch;
import tilewright.simulator.Program;
import tilewright.simulator.Simulator;
import tilewright.simulator.SimulatorOptions;

/**
 * Times the simulator on one core, in CPU time, which other work on the machine disturbs least, and whole programs on
 * two cores by the clock.
 */
public final class SimulatorBenchmark {
  /** C2 has compiled everything by then. */
  private static final double WARM_SECONDS = 3;
  private static final int RUNS = 7;

  private SimulatorBenchmark() {}

  /**
   * What to measure: square GEMM problems of that size, the naive kernel on singles and that for tensor cores on bf16;
   * and a Hopper GEMM by {@code wgmma}, whose sizes are fixed.
   *
   * @param kernels catalogue names; those without a benchmark are refused
   * @param commit of the sources, for the record
   */
  public record Options(List<String> kernels, int size, String commit) {
    /** The kernels that have a benchmark. */
    public static final List<String> KERNELS = List.of("naive_gemm", "sm80_gemm", WitnessBenchmark.WGMMA);

    public Options {
      kernels = List.copyOf(kernels);
    }
  }

  /** Times the kernels; the record has no cold start yet. */
  public static SimulatorRecord run(Options options, Consumer<String> progress) {
    var rows = new ArrayList<SimulatorRecord.Row>();
    var clocked = List.<SimulatorRecord.Clocked>of();
    // Before the others: what they leave compiled would make its first run look better than a user's.
    if (options.kernels().contains(WitnessBenchmark.WGMMA)) clocked = WitnessBenchmark.run(progress);
    for (var kernel : options.kernels()) {
      if (kernel.equals(WitnessBenchmark.WGMMA)) continue;
      progress.accept(kernel);
      rows.add(measure(kernel, options.size()));
    }
    boolean vectors = ModuleLayer.boot().findModule("jdk.incubator.vector").isPresent();
    return new SimulatorRecord(LocalDate.now(ZoneOffset.UTC).toString(), Processor.name(), Runtime.version().toString(),
        vectors, options.commit(), rows, clocked, Optional.empty());
  }

  /** A launch so small that running it is mostly starting; its buffers are byte arrays, as for writing to files. */
  public static Launch smallLaunch() {
    var problem = problem("naive_gemm", 32, 32);
    var l = launch(problem, problem);
    var bytes = new HashMap<String, MemorySegment>();
    l.buffers().keySet().forEach(name -> bytes.put(name, MemorySegment.ofArray(l.bytes(name))));
    return l.on(bytes);
  }

  private static SimulatorRecord.Row measure(String kernel, int size) {
    var problem = problem(kernel, size, size);
    var whole = launch(problem, problem);
    var quarter = launch(problem(kernel, Math.max(1, size / 4), size), problem);
    var program = Simulator.load(whole.ptx());
    var plain = SimulatorOptions.defaults().withThreads(1);
    var time = time(program, whole, plain);
    var sanitized = time(program, whole, plain.withSanitizer(true));
    var partial = time(program, quarter, plain);
    return new SimulatorRecord.Row(kernel, size + "x" + size + "x" + size, time.instructions(), time.seconds() * 1e3,
        time.instructions() / time.seconds() * 1e-9, Math.pow(size, 3) / time.seconds() * 1e-9,
        sanitized.seconds() / time.seconds(), time.seconds() / ctas(whole.grid()) * 1e6,
        partial.seconds() / ctas(quarter.grid()) * 1e6);
  }

  private static GemmProblem problem(String kernel, int rows, int size) {
    var operand = kernel.equals("naive_gemm") ? ElementType.F32 : ElementType.BF16;
    return GemmProblem.packed(operand, ElementType.F32, rows, size, size, 1, "TN");
  }

  /** The problem by the kernel that another is solved by. */
  private static Launch launch(GemmProblem p, GemmProblem other) {
    PreparedLaunch prepared = p.operand() == ElementType.F32 ? Gemm.naive(p) : Gemm.sm80(p, Gemm.configure(other));
    Map<String, MemorySegment> buffers = new HashMap<>();
    buffers.put("A", Buffers.normal(p.operand(), (long) p.m() * p.k(), 1));
    buffers.put("B", Buffers.normal(p.operand(), (long) p.n() * p.k(), 2));
    buffers.put("C", Buffers.poisoned(ElementType.F32, (long) p.m() * p.n()));
    return prepared.on(buffers);
  }

  private static long ctas(Dim3 grid) {
    return (long) grid.x() * grid.y() * grid.z();
  }

  private record Time(long instructions, double seconds) {}

  private static Time time(Program program, Launch launch, SimulatorOptions options) {
    var threads = ManagementFactory.getThreadMXBean();
    long begin = threads.getCurrentThreadCpuTime();
    while (threads.getCurrentThreadCpuTime() - begin < WARM_SECONDS * 1e9) program.run(launch, options);
    var seconds = new double[RUNS];
    long instructions = 0;
    for (int i = 0; i < RUNS; i++) {
      long start = threads.getCurrentThreadCpuTime();
      var result = program.run(launch, options);
      seconds[i] = (threads.getCurrentThreadCpuTime() - start) * 1e-9;
      instructions = result.instructions();
      if (!result.findings().isEmpty()) throw new IllegalStateException("a benchmark has " + result.findings());
    }
    Arrays.sort(seconds);
    return new Time(instructions, seconds[RUNS / 2]);
  }
}
