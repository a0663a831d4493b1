package tilewright.verification.benchmark;

import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;
import tilewright.kernels.GemmProblem;
import tilewright.numerics.ElementType;
import tilewright.sm90.Sm90GemmConfig;
import tilewright.sm90.Sm90Gemms;

/** The choice of the Hopper GEMM's tile for a problem that was not seen before. */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Fork(2)
@Warmup(iterations = 5, time = 1)
@Measurement(iterations = 5, time = 1)
public class ChoiceBenchmark {
  private static final int PROBLEMS = 256;

  @Param({"BF16", "E4M3"})
  private ElementType type;

  private List<GemmProblem> problems;
  private int next;

  @Setup
  public void draw() {
    problems = IntStream.range(0, PROBLEMS).mapToObj(i -> GemmProblem.packed(type, ElementType.BF16, 1 + 37 * i,
        512 + 48 * i, 16384 - 48 * i, 1, "TN")).toList();
  }

  @Benchmark
  public Sm90GemmConfig hopperGemm() {
    next = (next + 1) % PROBLEMS;
    return Sm90Gemms.configure(problems.get(next));
  }
}
