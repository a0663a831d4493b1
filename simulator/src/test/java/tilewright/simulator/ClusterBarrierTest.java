package tilewright.simulator;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import tilewright.simulator.Finding.Kind;

/** The cluster's barrier: {@code barrier.cluster}. */
class ClusterBarrierTest {
  /** In each of five rounds every thread counts before the barrier, and behind it sees that all have counted. */
  private static String rounds(String before, String arrive, String between, String wait) {
    return before + """
        mov.u32 %r0, 0;
        mov.u32 %r5, 0;
        ROUND:
        red.relaxed.gpu.global.add.u32 [%p0], 1;
        """ + arrive + between + wait + """
        add.u32 %r0, %r0, 1;
        ld.relaxed.gpu.global.u32 %r1, [%p0];
        ld.relaxed.gpu.global.u32 %r6, [%p0+4];
        mul.lo.u32 %r2, %r0, %r6;
        setp.lt.u32 %q0, %r1, %r2;
        @%q0 add.u32 %r5, %r5, 1;
        setp.lt.u32 %q1, %r0, 5;
        @%q1 bra ROUND;
        red.global.add.u32 [%p0+8], %r5;
        """;
  }

  private static void check(String ptx, int blocks, int threads, int counted) {
    for (long seed = 0; seed < 12; seed++) {
      int[] out = {0, counted, 0};
      var result = Clusters.run(ptx, blocks, threads, Kernels.PLAIN.withSeed(seed), out);
      assertEquals(List.of(), result.findings());
      assertEquals(5 * counted, out[0]);
      assertEquals(0, out[2], "threads that passed too early");
    }
  }

  @ParameterizedTest
  @CsvSource({"barrier.cluster.arrive.aligned;,barrier.cluster.wait.aligned;",
      "barrier.cluster.arrive;,barrier.cluster.wait;",
      "barrier.cluster.arrive.release.aligned;,barrier.cluster.wait.acquire.aligned;",
      "barrier.cluster.arrive.relaxed;,barrier.cluster.wait.acquire;"})
  void nobodyPassesBeforeAllThreadsOfAllBlocksHaveArrived(String arrive, String wait) {
    check(Clusters.kernel(1, rounds("", arrive, "", wait)), 4, 80, 320);
  }

  @Test
  void threadsWorkBetweenArrivingAndWaiting() {
    var work = "mov.u32 %r3, 0;\nMORE: add.u32 %r3, %r3, 1;\nsetp.lt.u32 %q2, %r3, %t;\n@%q2 bra MORE;\n";
    check(Clusters.kernel(1, rounds("", "barrier.cluster.arrive;\n", work, "barrier.cluster.wait;\n")), 4, 64, 256);
  }

  @Test
  void threadsThatHaveExitedAreNotAwaited() {
    var leave = """
        mov.u32 %r10, %cluster_ctarank;
        setp.eq.u32 %q3, %r10, 1;
        @%q3 ret;
        and.b32 %r10, %t, 7;
        setp.eq.u32 %q3, %r10, 2;
        @%q3 ret;
        """;
    check(Clusters.kernel(1, rounds(leave, "barrier.cluster.arrive;\n", "", "barrier.cluster.wait;\n")), 4, 64,
        3 * 56);
  }

  @Test
  void lanesOfOneWarpMayBeInDifferentPhases() {
    // Odd lanes wait late for phase 0, and arrive in phase 1 only then; even lanes are ahead.
    var body = """
        .shared .align 4 .b32 flag;
        and.b32 %r1, %t, 1;
        setp.eq.u32 %q0, %r1, 1;
        setp.eq.u32 %q1, %t, 0;
        @%q1 st.shared.u32 [flag], 0;
        bar.sync 0;
        barrier.cluster.arrive;
        @%q0 bra LATE;
        barrier.cluster.wait;
        barrier.cluster.arrive;
        @%q1 st.relaxed.cta.shared.u32 [flag], 1;
        bra WAIT;
        LATE: ld.relaxed.cta.shared.u32 %r2, [flag];
        setp.eq.u32 %q2, %r2, 0;
        @%q2 bra LATE;
        barrier.cluster.wait;
        barrier.cluster.arrive;
        WAIT: barrier.cluster.wait;
        red.global.add.u32 [%p0], 1;
        """;
    for (long seed = 0; seed < 20; seed++) {
      int[] out = new int[1];
      assertEquals(List.of(), Clusters.run(Clusters.kernel(1, body), 2, 32, Kernels.PLAIN.withSeed(seed), out)
          .findings());
      assertEquals(64, out[0]);
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"barrier.cluster.arrive;\nbarrier.cluster.arrive;|a second time",
      "barrier.cluster.wait;|without having arrived",
      "barrier.cluster.arrive;\nbarrier.cluster.wait;\nbarrier.cluster.wait;|without having arrived"})
  void arrivingTwiceOrWaitingUnarrivedIsAnError(String bodyAndMessage) {
    var parts = bodyAndMessage.split("\\|");
    var result = Clusters.run(Clusters.kernel(1, parts[0]), 2, 32, Kernels.PLAIN, new int[1]);
    assertEquals(List.of(Kind.INVALID_OPERATION), Kernels.kinds(result));
    assertTrue(result.findings().getFirst().message().contains(parts[1]), result.findings().toString());
  }

  @Test
  void whoIsAwaitedInVainIsReported() {
    var body = """
        mov.u32 %r1, %cluster_ctarank;
        setp.eq.u32 %q0, %r1, 1;
        @%q0 bra OTHER;
        barrier.cluster.arrive;
        barrier.cluster.wait;
        ret;
        OTHER: bar.sync 1, 64;
        """;
    var result = Clusters.run(Clusters.kernel(1, body), 2, 32, Kernels.PLAIN, new int[1]);
    assertEquals(List.of(Kind.DEADLOCK), Kernels.kinds(result));
    var message = result.findings().getFirst().message();
    assertTrue(message.contains("the cluster's barrier in phase 0 awaits warp 0 of block (1,0,0)"), message);
    assertTrue(message.contains("block (1,0,0) cannot go on: warp 0 waits"), message);
  }
}
