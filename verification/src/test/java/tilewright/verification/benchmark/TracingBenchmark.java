package tilewright.verification.benchmark;

import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;
import tilewright.kernels.GemmProblem;
import tilewright.kernels.gemm.Gemm;
import tilewright.numerics.ElementType;
import tilewright.sm90.Sm90Gemms;

/** Tracing of kernels, from a problem to PTX text. */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Fork(2)
@Warmup(iterations = 5, time = 1)
@Measurement(iterations = 5, time = 1)
public class TracingBenchmark {
  private final GemmProblem problem =
      GemmProblem.packed(ElementType.BF16, ElementType.BF16, 4096, 4096, 4096, 1, "TN");

  /** The SM80 GEMM, whose warps unroll their fragments. */
  @Benchmark
  public String sm80Gemm() {
    return Gemm.sm80(problem).kernel().ptx();
  }

  /** The Hopper GEMM, with its roles, barriers and tensor copies. */
  @Benchmark
  public String hopperGemm() {
    return Sm90Gemms.prepare(problem).kernel().ptx();
  }
}
