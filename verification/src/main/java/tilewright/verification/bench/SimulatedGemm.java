package tilewright.verification.bench;

import java.lang.foreign.MemorySegment;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import tilewright.kernel.PreparedLaunch;
import tilewright.kernels.GemmProblem;
import tilewright.kernels.gemm.Gemm;
import tilewright.numerics.ElementType;
import tilewright.ptx.Launch;
import tilewright.simulator.Program;
import tilewright.simulator.Simulator;
import tilewright.simulator.SimulatorOptions;
import tilewright.verification.cases.Buffers;

/**
 * A GEMM that is timed on the simulator, in CPU time of one thread.
 *
 * @param size of the square problem, in elements
 * @param whole the launch of the problem
 * @param quarter the launch of a quarter of its rows, by the same kernel
 */
record SimulatedGemm(String kernel, int size, Program program, Launch whole, Launch quarter) {
  static final String NAIVE = "naive_gemm";
  static final String TENSOR = "sm80_gemm";
  static final List<String> NAMES = List.of(NAIVE, TENSOR);
  static final SimulatorOptions PLAIN = SimulatorOptions.defaults().withThreads(1);
  static final SimulatorOptions SANITIZED = PLAIN.withSanitizer(true);

  /** Prepares a kernel: the naive one multiplies f32, the one for tensor cores bf16. */
  static SimulatedGemm of(String kernel, int size) {
    var problem = problem(kernel, size, size);
    var whole = launch(problem, problem);
    var quarter = launch(problem(kernel, Math.max(1, size / 4), size), problem);
    return new SimulatedGemm(kernel, size, Simulator.load(whole.ptx()), whole, quarter);
  }

  /** A launch so small that running it is mostly starting; its buffers are byte arrays, as for writing to files. */
  static Launch small() {
    var problem = problem(NAIVE, 32, 32);
    var l = launch(problem, problem);
    var bytes = new HashMap<String, MemorySegment>();
    l.buffers().keySet().forEach(name -> bytes.put(name, MemorySegment.ofArray(l.bytes(name))));
    return l.on(bytes);
  }

  private static GemmProblem problem(String kernel, int rows, int size) {
    var operand = kernel.equals(NAIVE) ? ElementType.F32 : ElementType.BF16;
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

  static long ctas(Launch launch) {
    var grid = launch.grid();
    return (long) grid.x() * grid.y() * grid.z();
  }

  double multiplications() {
    return Math.pow(size, 3);
  }

  /** Thread instructions of one run. */
  long instructions() {
    return program.run(whole, PLAIN).instructions();
  }

  /**
   * Runs a launch at least once, and again until that much CPU time has passed.
   *
   * @return milliseconds of CPU time of each run
   */
  List<Double> times(Launch launch, SimulatorOptions options, double leastSeconds) {
    ThreadMXBean threads = ManagementFactory.getThreadMXBean();
    var times = new ArrayList<Double>();
    long begin = threads.getCurrentThreadCpuTime();
    long end;
    do {
      long start = threads.getCurrentThreadCpuTime();
      var result = program.run(launch, options);
      end = threads.getCurrentThreadCpuTime();
      if (!result.findings().isEmpty()) throw new IllegalStateException("a benchmark has " + result.findings());
      times.add((end - start) * 1e-6);
    } while (end - begin < leastSeconds * 1e9);
    return times;
  }
}
