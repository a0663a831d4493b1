package tilewright.simulator;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import tilewright.ptx.Dim3;

/** What ends a launch, what a program refuses to load, and what a seed decides. */
class LimitsTest {
  private static final String ENDLESS = Kernels.kernel(0, "LOOP: add.u32 %r0, %r0, 1;\nbra LOOP;\n");

  @Test
  void anEndlessLoopStopsAtTheInstructionLimit() {
    var result = Kernels.run(ENDLESS, 64, Kernels.PLAIN.withInstructionLimit(1_000_000));
    assertEquals(List.of(Finding.Kind.INSTRUCTION_LIMIT), Kernels.kinds(result));
    assertTrue(result.findings().getFirst().message().contains("the limit is 1000000"), result.findings().toString());
    assertTrue(result.instructions() > 1_000_000);
  }

  @Test
  void whoWaitsAtALimitIsTold() {
    // The second warp polls for a phase that is never over; the first waits at a barrier for the second.
    var ptx = Kernels.kernel(0, """
        .shared .align 8 .b64 bar;
        setp.eq.u32 %q0, %t, 0;
        @%q0 mbarrier.init.shared.b64 [bar], 1;
        bar.sync 0;
        setp.lt.u32 %q1, %t, 32;
        @%q1 bra MEET;
        POLL: mbarrier.test_wait.parity.shared.b64 %q2, [bar], 0;
        @!%q2 bra POLL;
        MEET: bar.sync 1;
        """);
    var result = Kernels.run(ptx, 64, Kernels.PLAIN.withInstructionLimit(100_000));
    assertEquals(List.of(Finding.Kind.INSTRUCTION_LIMIT), Kernels.kinds(result));
    var message = result.findings().getFirst().message();
    assertTrue(message.contains("block (0,0,0) waits in part: warp 0 waits"), message);
    assertTrue(message.contains("barrier 1 expects all threads, arrived: warps 0, missing: warps 1"), message);
  }

  @Test
  void onlyTheLaunchedKernelIsCompiled() {
    var ptx = Kernels.kernel(1, "st.global.u32 [%p0], 7;\n") + ".visible .entry other() { frobnicate.b32 1; }\n";
    int[] out = new int[1];
    var launch = Kernels.launch(ptx, Dim3.ONE, Dim3.ONE, 0, out);
    for (var options : List.of(Kernels.PLAIN, Kernels.SANITIZED)) {
      out[0] = 0;
      assertEquals(List.of(), Simulator.run(launch, options).findings());
      assertEquals(7, out[0]);
    }
    assertThrows(UnsupportedPtxException.class, () -> Simulator.load(ptx));
  }

  @Test
  void theTimeLimitHoldsFromTheFirstByteOn() {
    var launch = Kernels.launch(Kernels.kernel(0, ""), Dim3.ONE, Dim3.ONE, 0);
    var result = Simulator.run(launch, Kernels.PLAIN.withTimeLimit(Duration.ofNanos(1)));
    assertEquals(List.of(Finding.Kind.TIME_LIMIT), Kernels.kinds(result));
    var message = result.findings().getFirst().message();
    assertTrue(message.startsWith("stopped while the PTX was read and compiled: the time limit is"), message);
  }

  @Test
  void aKernelOfMoreBlocksThanAClassHoldsRuns() {
    int pairs = 3000;
    var body = new StringBuilder("mov.u32 %r2, 0;\n");
    for (int i = 0; i < pairs; i++) {
      body.append("setp.eq.u32 %q1, %t, ").append(i % 40).append(";\n@%q1 bra L").append(i).append(";\n")
          .append("add.u32 %r2, %r2, 1;\nL").append(i).append(":\n");
    }
    int[] out = new int[32];
    var result = Kernels.run(Kernels.kernel(1, body + "add.u64 %p0, %p0, %t4;\nst.global.u32 [%p0], %r2;\n"), 32,
        Kernels.PLAIN, out);
    assertEquals(List.of(), result.findings());
    // Of 3000 numbers modulo 40, 75 are a thread's own.
    for (int sum : out) assertEquals(pairs - pairs / 40, sum);
  }

  @Test
  void loopsNestedTooDeepAreRefusedAtOnce() {
    var body = new StringBuilder();
    for (int i = 0; i < 2000; i++) {
      body.append("L").append(i).append(":\nsetp.eq.u32 %q1, %t, ").append(i).append(";\n@%q1 bra L")
          .append(Math.max(0, i - 3)).append(";\n");
    }
    var e = assertThrows(UnsupportedPtxException.class, () -> Simulator.load(Kernels.kernel(0, body.toString())));
    assertEquals("its loops are nested more than 200 deep", e.problems().getFirst().reason());
    assertEquals(5, e.problems().getFirst().line());
  }

  @Test
  void anEndlessLoopStopsAtTheTimeLimit() {
    var result = Kernels.run(ENDLESS, Dim3.of(3), Dim3.of(64), 0, Kernels.PLAIN.withTimeLimit(Duration.ofMillis(50)));
    assertEquals(List.of(Finding.Kind.TIME_LIMIT), Kernels.kinds(result));
  }

  @Test
  void instructionsAreCountedByThread() {
    var result = Kernels.run(Kernels.kernel(0, "setp.lt.u32 %q0, %t, 8;\n@%q0 bra END;\nadd.u32 %r0, %r0, 1;\nEND:\n"),
        40, Kernels.PLAIN);
    // Three to set up, a comparison and a branch, and the end of the kernel by all; the addition by 32.
    assertEquals(40 * 6 + 32, result.instructions());
  }

  @Test
  void whateverCannotBeExecutedIsListedByLineWhenTheModuleIsLoaded() {
    var ptx = Kernels.kernel(0, """
        frobnicate.b32 %r0, %r1;
        add.u32 %r0, %r1, %r2;
        vset.s32.s32.lt.sat %r0, %r1, %r2;
        vadd.s32.s32.s32 %r0, -%r1, %r2;
        mma.sync.aligned.m16n8k8.row.col.rz.f32.tf32.tf32.f32 {%f0,%f1,%f2,%f3}, {%r0,%r1,%r2,%r3}, {%r4,%r5},
          {%f0,%f1,%f2,%f3};
        mov.u32 %r0, %nosuchregister;
        mma.sync.aligned.m8n8k16.row.col.s32.s8.s8.f32 {%r0,%r1}, {%r2}, {%r3}, {%r0,%r1};
        ld.global.sparkling.u32 %r0, [%p0];
        add.f32 %f0, %l0, %f1;
        """);
    var problems = assertThrows(UnsupportedPtxException.class, () -> Simulator.load(ptx)).problems();
    var lines = ptx.lines().toList();
    int first = lines.indexOf("frobnicate.b32 %r0, %r1;") + 1;
    assertEquals(List.of(first, first + 2, first + 3, first + 4, first + 6, first + 7, first + 8,
        first + 9),
        problems.stream().map(UnsupportedPtxException.Problem::line).toList());
    assertTrue(problems.getFirst().text().contains("frobnicate.b32"));
  }

  @Test
  void operandsOfTheWrongWidthAreRefusedWhenTheModuleIsLoaded() {
    var ptx = Kernels.kernel(0, "mov.b64 %l0, 1;\nadd.f32 %f0, %l0, %f1;\nst.shared.b32 [0], %f0;\n");
    var problems = assertThrows(UnsupportedPtxException.class, () -> Simulator.load(ptx)).problems();
    assertEquals(1, problems.size());
    assertTrue(problems.getFirst().text().contains("add.f32"), problems.toString());
  }

  /** Warps append their number to a list in the order in which they come. */
  private static int[] arrivals(long seed) {
    var ptx = Kernels.kernel(2, """
        setp.ne.u32 %q1, %laneid, 0;
        @%q1 exit;
        mov.u32 %r1, %warpid;
        atom.global.add.u32 %r0, [%p0], 1;
        mul.wide.u32 %l0, %r0, 4;
        add.s64 %l0, %p1, %l0;
        st.global.u32 [%l0], %r1;
        """.replace("setp.ne.u32 %q1, %laneid, 0;", "mov.u32 %r9, %laneid;\nsetp.ne.u32 %q1, %r9, 0;"));
    int[] order = new int[32];
    Kernels.run(ptx, 1024, Kernels.PLAIN.withSeed(seed), new int[1], order);
    return order;
  }

  @Test
  void equalSeedsGiveEqualSchedulesAndOtherSeedsOthers() {
    assertEquals(List.of(), java.util.stream.LongStream.range(0, 5)
        .filter(seed -> !java.util.Arrays.equals(arrivals(seed), arrivals(seed))).boxed().toList());
    long different = java.util.stream.LongStream.range(0, 5)
        .mapToObj(seed -> java.util.Arrays.toString(arrivals(seed))).distinct().count();
    assertTrue(different > 1, "all seeds ran the warps in the same order");
  }
}
