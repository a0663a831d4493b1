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
import tilewright.layout.Layout;
import tilewright.numerics.ElementType;
import tilewright.reference.GemmReference;
import tilewright.reference.TensorView;
import tilewright.verification.cases.Buffers;

/** The CPU reference of a 128×128×128 GEMM in bf16, by each model of its arithmetic. */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Fork(2)
@Warmup(iterations = 5, time = 1)
@Measurement(iterations = 5, time = 1)
public class ReferenceBenchmark {
  private static final int SIZE = 128;
  private static final int AMPERE = 80;

  private final GemmReference reference =
      new GemmReference(matrix(ElementType.BF16, 1), matrix(ElementType.BF16, 2), matrix(ElementType.F32, 3), 1, 0);
  private final int[] rows = reference.allRows();

  /** Sums in FP64. */
  @Benchmark
  public double[] exact() {
    return reference.exact(rows);
  }

  /** Sums as {@code mma.sync} rounds them. */
  @Benchmark
  public double[] tensorCores() {
    return reference.onTensorCores(AMPERE, rows);
  }

  /** Sums as {@code wgmma} rounds them. */
  @Benchmark
  public double[] warpgroups() {
    return reference.onWarpgroups(rows);
  }

  private static TensorView matrix(ElementType type, long seed) {
    return new TensorView(type, Buffers.normal(type, (long) SIZE * SIZE, seed), Layout.parse("(128,128,1):(128,1,0)"));
  }
}
