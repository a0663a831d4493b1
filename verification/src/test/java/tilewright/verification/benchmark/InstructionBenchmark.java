package tilewright.verification.benchmark;

import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
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
import tilewright.ptx.Dim3;
import tilewright.ptx.Launch;
import tilewright.simulator.Program;
import tilewright.simulator.SimulationResult;
import tilewright.simulator.Simulator;
import tilewright.simulator.SimulatorOptions;

/** Loops of the simulator's hot instructions, in one CTA of four warps on one thread; loading is not part of the time. */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Fork(2)
@Warmup(iterations = 5, time = 1)
@Measurement(iterations = 5, time = 1)
public class InstructionBenchmark {
  private static final int THREADS = 128;
  private static final int ITERATIONS = 1000;

  @Param({"false", "true"})
  boolean sanitizer;

  private final Launch mma = launch("""
        mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%d0, %d1, %d2, %d3}, {%r0, %r1, %r2, %r3}, {%r0, %r1},
          {%d0, %d1, %d2, %d3};
      """);
  private final Launch copy = launch("""
        ld.shared.v4.b32 {%r0, %r1, %r2, %r3}, [%from];
        st.shared.v4.b32 [%from+2048], {%r0, %r1, %r2, %r3};
      """);
  private final Program mmaProgram = Simulator.load(mma.ptx());
  private final Program copyProgram = Simulator.load(copy.ptx());

  /** A loop that the sanitizer stops early would time nothing. */
  @Setup
  public void requireNoFindings() {
    for (var result : List.of(mma(), sharedCopy())) {
      if (!result.findings().isEmpty()) throw new IllegalStateException("a benchmark has " + result.findings());
    }
  }

  /** 4000 products of 16×8×16 in bf16, each summed to the one before. */
  @Benchmark
  public SimulationResult mma() {
    return mmaProgram.run(mma, options());
  }

  /** 128000 copies of 16 bytes from shared memory to shared memory. */
  @Benchmark
  public SimulationResult sharedCopy() {
    return copyProgram.run(copy, options());
  }

  private SimulatorOptions options() {
    return SimulatorOptions.defaults().withThreads(1).withSanitizer(sanitizer);
  }

  /** A kernel that repeats some instructions. */
  private static Launch launch(String body) {
    var ptx = """
        .version 8.0
        .target sm_80
        .address_size 64
        .visible .entry loop()
        {
          .shared .align 16 .b8 memory[4096];
          .reg .f32 %%d<4>;
          .reg .b32 %%r<4>;
          .reg .b32 %%from;
          .reg .b32 %%thread;
          .reg .b32 %%left;
          .reg .pred %%more;
          mov.u32 %%thread, %%tid.x;
          shl.b32 %%thread, %%thread, 4;
          mov.u32 %%from, memory;
          add.u32 %%from, %%from, %%thread;
          mov.b32 %%r0, 0x3F803F80;
          mov.b32 %%r1, %%r0;
          mov.b32 %%r2, %%r0;
          mov.b32 %%r3, %%r0;
          mov.f32 %%d0, 0f00000000;
          mov.f32 %%d1, %%d0;
          mov.f32 %%d2, %%d0;
          mov.f32 %%d3, %%d0;
          st.shared.v4.b32 [%%from], {%%r0, %%r1, %%r2, %%r3};
          mov.u32 %%left, %d;
        repeat:
        %s  sub.u32 %%left, %%left, 1;
          setp.ne.u32 %%more, %%left, 0;
          @%%more bra repeat;
          ret;
        }
        """.formatted(ITERATIONS, body);
    return new Launch(ptx, "loop", Dim3.of(1), Dim3.of(THREADS), Dim3.of(1), 0, Map.of(), List.of());
  }
}
