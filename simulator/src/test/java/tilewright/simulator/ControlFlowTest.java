package tilewright.simulator;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import tilewright.ptx.Dim3;

/** Divergence, reconvergence and forward progress. */
class ControlFlowTest {
  private static int[] results(int threads, String body) {
    var out = new int[threads];
    var result = Kernels.run(Kernels.kernel(1, body + Instructions.store("u32", "%r0", 0, "%t4")), threads,
        Kernels.PLAIN, out);
    assertEquals(List.of(), result.findings());
    return out;
  }

  @Test
  void nestedBranchesGiveEachThreadItsOwnPath() {
    int[] got = results(96, """
        and.b32 %r1, %t, 1;
        setp.eq.u32 %q0, %r1, 0;
        @%q0 bra EVEN;
        setp.lt.u32 %q1, %t, 20;
        @%q1 bra SMALL;
        mov.u32 %r0, 100;
        bra.uni JOIN;
        SMALL: mov.u32 %r0, 200;
        bra.uni JOIN;
        EVEN: mov.u32 %r0, 300;
        JOIN: add.u32 %r0, %r0, %t;
        """);
    assertArrayEquals(IntStream.range(0, 96).map(t -> t + (t % 2 == 0 ? 300 : t < 20 ? 200 : 100)).toArray(), got);
  }

  @Test
  void loopsWithDifferentTripCountsEndForEachThreadOnItsOwn() {
    int[] got = results(64, """
        mov.u32 %r0, 0;
        mov.u32 %r1, %t;
        LOOP: setp.eq.u32 %q0, %r1, 0;
        @%q0 bra DONE;
        add.u32 %r0, %r0, %r1;
        sub.u32 %r1, %r1, 1;
        bra LOOP;
        DONE:
        """);
    assertArrayEquals(IntStream.range(0, 64).map(t -> t * (t + 1) / 2).toArray(), got);
  }

  @Test
  void lanesOfALoopMeetAgainBehindIt() {
    int[] got = results(32, """
        mov.u32 %r1, %t;
        LOOP: setp.eq.u32 %q0, %r1, 0;
        @%q0 bra DONE;
        sub.u32 %r1, %r1, 1;
        bra LOOP;
        DONE: activemask.b32 %r0;
        """);
    assertArrayEquals(IntStream.range(0, 32).map(_ -> -1).toArray(), got);
  }

  @Test
  void branchesKnowTheirActiveLanes() {
    int[] got = results(32, """
        setp.lt.u32 %q0, %t, 10;
        @%q0 bra LOW;
        activemask.b32 %r0;
        bra JOIN;
        LOW: activemask.b32 %r0;
        JOIN:
        """);
    assertArrayEquals(IntStream.range(0, 32).map(t -> t < 10 ? 0x3FF : ~0x3FF).toArray(), got);
  }

  @Test
  void guardedInstructionsLeaveOtherLanesAlone() {
    int[] got = results(40, """
        mov.u32 %r0, 7;
        setp.gt.u32 %q0, %t, 3;
        @%q0 mov.u32 %r0, %t;
        @!%q0 add.u32 %r0, %r0, 1;
        """);
    assertArrayEquals(IntStream.range(0, 40).map(t -> t > 3 ? t : 8).toArray(), got);
  }

  @Test
  void threadsThatExitEarlyWriteNothing() {
    int[] got = results(70, """
        rem.u32 %r1, %t, 3;
        setp.eq.u32 %q0, %r1, 1;
        @%q0 exit;
        mov.u32 %r0, 5;
        """);
    assertArrayEquals(IntStream.range(0, 70).map(t -> t % 3 == 1 ? 0 : 5).toArray(), got);
  }

  @Test
  void branchTablesSendEachThreadToItsEntry() {
    int[] got = results(32, """
        and.b32 %r1, %t, 3;
        TABLE: .branchtargets A, B, A, C;
        brx.idx %r1, TABLE;
        A: mov.u32 %r0, 1;
        bra JOIN;
        B: mov.u32 %r0, 2;
        bra JOIN;
        C: mov.u32 %r0, 3;
        JOIN:
        """);
    int[] entries = {1, 2, 1, 3};
    assertArrayEquals(IntStream.range(0, 32).map(t -> entries[t & 3]).toArray(), got);
  }

  @Test
  void aWaitByTheClockEndsAfterTheCyclesOfItsInstructions() {
    int[] got = results(32, """
        mov.u32 %r0, 0;
        mov.u32 %r1, %clock;
        WAIT: add.u32 %r0, %r0, 1;
        mov.u32 %r2, %clock;
        sub.u32 %r2, %r2, %r1;
        setp.lt.u32 %q0, %r2, 1600;
        @%q0 bra WAIT;
        """);
    // Five instructions of four cycles each.
    assertArrayEquals(IntStream.generate(() -> 1600 / (5 * 4)).limit(32).toArray(), got);
  }

  @Test
  void aBranchTableIndexOutsideTheTableIsReported() {
    var ptx = Kernels.kernel(0, """
        TABLE: .branchtargets A, B;
        brx.idx %t, TABLE;
        A: nanosleep.u32 1;
        B:
        """);
    assertEquals(List.of(Finding.Kind.INVALID_OPERATION), Kernels.kinds(Kernels.run(ptx, 32, Kernels.PLAIN)));
  }

  @Test
  void lanesThatSpinOnAnotherLaneOfTheirWarpLetItRun() {
    // Every lane takes the lock in turn; the one that has it must leave the loop that the others spin in.
    var ptx = Kernels.kernel(2, """
        SPIN: atom.global.cas.b32 %r1, [%p0], 0, 1;
        setp.ne.u32 %q0, %r1, 0;
        @%q0 bra SPIN;
        ld.global.u32 %r2, [%p1];
        add.u32 %r2, %r2, 1;
        st.global.u32 [%p1], %r2;
        atom.global.exch.b32 %r3, [%p0], 0;
        """);
    int[] counter = {0};
    var result = Kernels.run(ptx, 64, Kernels.PLAIN, new int[1], counter);
    assertEquals(List.of(), result.findings());
    assertEquals(64, counter[0]);
  }

  @Test
  void blocksMayWaitForEarlierAndLaterBlocks() {
    // Each block waits until all the others have come.
    var ptx = Kernels.kernel(1, """
        atom.global.add.u32 %r0, [%p0], 1;
        mov.u32 %r2, %nctaid.x;
        WAIT: ld.volatile.global.u32 %r1, [%p0];
        setp.lt.u32 %q0, %r1, %r2;
        @%q0 bra WAIT;
        """);
    int[] counter = {0};
    var result = Kernels.run(ptx, Dim3.of(9), Dim3.of(1), 0, Kernels.PLAIN.withThreads(2), counter);
    assertEquals(List.of(), result.findings());
    assertEquals(9, counter[0]);
  }

  @Test
  void innerScopesHaveTheirOwnRegistersAndLabels() {
    int[] got = results(32, """
        mov.u32 %r0, 1;
        { .reg .b32 %r0; mov.u32 %r0, 5; bra L; mov.u32 %r0, 6; L: }
        { bra L; L: add.u32 %r0, %r0, 1; }
        """);
    assertArrayEquals(IntStream.range(0, 32).map(_ -> 2).toArray(), got);
  }

  @Test
  void specialRegistersDescribeThePosition() {
    var ptx = Kernels.kernel(1, """
        mov.u32 %r0, %tid.y;
        mov.u32 %r1, %ntid.x;
        mad.lo.u32 %r0, %r0, %r1, %t;
        mov.u32 %r2, %ctaid.y;
        mov.u32 %r3, %nctaid.x;
        mov.u32 %r4, %ctaid.x;
        mad.lo.u32 %r2, %r2, %r3, %r4;
        mad.lo.u32 %r2, %r2, 12, %r0;
        mov.u32 %r5, %laneid;
        mov.u32 %r6, %warpid;
        mad.lo.u32 %r5, %r6, 32, %r5;
        mul.wide.u32 %l0, %r2, 4;
        add.s64 %l0, %l0, %p0;
        st.global.u32 [%l0], %r5;
        """);
    int[] out = new int[6 * 12];
    Kernels.run(ptx, Dim3.of(3, 2), Dim3.of(4, 3), 0, Kernels.PLAIN, out);
    assertArrayEquals(IntStream.range(0, 72).map(i -> i % 12).toArray(), out);
  }
}
