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
import tilewright.layout.Tiler;

/** Operations on the layouts of a tensor-core GEMM: the tiles, fragments and thread layouts of 128×128×64 tiles. */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Fork(2)
@Warmup(iterations = 5, time = 1)
@Measurement(iterations = 5, time = 1)
public class LayoutBenchmark {
  private final Layout matrix = Layout.parse("(4096,4096):(4096,1)");
  private final Layout tile = Layout.parse("(128,64):(64,1)");
  /** The accumulator of mma.m16n8k16: (thread, value) to the index in 16×8. */
  private final Layout fragment = Layout.parse("((4,8),(2,2)):((32,1),(16,8))");
  private final Layout mma = Layout.parse("(16,8):(64,1)");
  private final Layout threads = Layout.parse("(16,8):(8,1)");
  private final Layout values = Layout.parse("(1,8):(0,1)");
  private final Layout row = Layout.parse("4096:1");
  private final Layout rows = Layout.parse("128:1");
  private final Tiler blocks = Tiler.parse("[128:1;64:1]");

  /** Offsets in shared memory of a thread's accumulators. */
  @Benchmark
  public Layout compositionOfTileAndFragment() {
    return mma.composition(fragment);
  }

  /** A block of a row-major matrix. */
  @Benchmark
  public Layout compositionByMode() {
    return matrix.composition(blocks);
  }

  /** Where the copies of a fragment begin in a tile. */
  @Benchmark
  public Layout complementOfFragment() {
    return fragment.complement(8192);
  }

  @Benchmark
  public Layout complementOfBlock() {
    return rows.complement(4096);
  }

  /** Blocks of 128 in a row of a matrix. */
  @Benchmark
  public Layout logicalDivideOfRow() {
    return row.logicalDivide(rows);
  }

  /** All blocks of a matrix. */
  @Benchmark
  public Layout logicalDivideByMode() {
    return matrix.logicalDivide(blocks);
  }

  /** All fragments of a tile in shared memory. */
  @Benchmark
  public Layout logicalDivideByFragment() {
    return tile.logicalDivide(fragment);
  }

  /** The threads of a copy, eight values each. */
  @Benchmark
  public Layout rakedProductOfThreadsAndValues() {
    return threads.rakedProduct(values);
  }

  @Benchmark
  public Layout rightInverseOfFragment() {
    return fragment.rightInverse();
  }

  @Benchmark
  public Layout coalesceOfFragment() {
    return fragment.coalesce();
  }
}
