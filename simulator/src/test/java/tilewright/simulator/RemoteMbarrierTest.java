package tilewright.simulator;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import tilewright.simulator.Finding.Kind;

/** An mbarrier of one block that another block of the cluster uses. */
class RemoteMbarrierTest {
  private static final String INIT = """
      .shared .align 8 .b64 bar;
      .shared .align 16 .b32 data[64];
      mov.u32 %r1, %cluster_ctarank;
      setp.eq.u32 %q0, %t, 0;
      mov.u32 %r3, bar;
      mov.u32 %r4, data;
      @%q0 mbarrier.init.shared.b64 [%r3], COUNT;
      @%q0 fence.mbarrier_init.release.cluster;
      barrier.cluster.arrive;
      barrier.cluster.wait;
      """;
  private static final String WAIT = "WAIT: mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 %q2, [%r3], 0;\n"
      + "@!%q2 bra WAIT;\n";
  private static final String STAY = "barrier.cluster.arrive;\nbarrier.cluster.wait;\n";

  /** Rank 1 fills rank 0's data and arrives there; rank 0 waits and copies the data out. */
  private static String handOver(int count, String fill) {
    return INIT.replace("COUNT", Integer.toString(count)) + """
        mapa.shared::cluster.u32 %r5, %r3, 0;
        mapa.shared::cluster.u32 %r6, %r4, 0;
        mad.lo.u32 %r7, %t, 4, %r6;
        mad.lo.u32 %r8, %t, 3, 7;
        setp.eq.u32 %q1, %r1, 0;
        @%q1 bra READ;
        """ + fill + "bra OUT;\nREAD:\n" + WAIT + """
        mad.lo.u32 %r7, %t, 4, %r4;
        ld.shared.u32 %r0, [%r7];
        """ + Instructions.store("u32", "%r0", 0, "%t4") + "OUT:\n" + STAY;
  }

  private static final int[] FILLED = IntStream.range(0, 64).map(t -> 3 * t + 7).toArray();

  @ParameterizedTest
  @CsvSource(delimiter = '|', value = {
      "64|st.shared::cluster.u32 [%r7], %r8; mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%r5];",
      "64|st.shared::cluster.u32 [%r7], %r8; cvt.u64.u32 %l3, %r5; cvta.shared::cluster.u64 %l3, %l3; "
          + "mbarrier.arrive.release.cluster.b64 _, [%l3];",
      "1|st.shared::cluster.u32 [%r7], %r8; bar.sync 0; @%q0 mbarrier.arrive.release.cluster.shared::cluster.b64 _, "
          + "[%r5];",
      "1|@%q0 mbarrier.arrive.expect_tx.release.cluster.shared::cluster.b64 _, [%r5], 256; "
          + "st.async.shared::cluster.mbarrier::complete_tx::bytes.u32 [%r7], %r8, [%r5];",
      "1|@%q0 mbarrier.expect_tx.relaxed.cluster.shared::cluster.b64 [%r5], 256; "
          + "@%q0 mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%r5]; "
          + "st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.b32 [%r7], %r8, [%r5];"})
  void whatWasWrittenBeforeTheArrivalIsThereAfterTheWait(int count, String fill) {
    for (long seed = 0; seed < 16; seed++) {
      int[] out = new int[64];
      var options = Kernels.SANITIZED.withSeed(seed);
      var result = Clusters.run(Clusters.kernel(1, handOver(count, fill)), 2, 64, options, out);
      assertEquals(List.of(), result.findings());
      assertArrayEquals(FILLED, out);
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"mbarrier.arrive.shared::cluster.b64 %l1, [%r5];",
      "mbarrier.init.shared::cluster.b64 [%r5], 1;", "mbarrier.test_wait.shared::cluster.b64 %q1, [%r5], %l1;",
      "mbarrier.arrive.noComplete.shared::cluster.b64 _, [%r5], 1;",
      "cp.async.mbarrier.arrive.shared::cluster.b64 [%r5];"})
  void formsThatDoNotExistForOtherBlocksAreRefused(String instruction) {
    assertThrows(UnsupportedPtxException.class, () -> Simulator.load(Clusters.kernel(1, instruction)));
  }

  @ParameterizedTest
  @CsvSource(delimiter = '|', value = {
      "cvt.u64.u32 %l3, %r5; cvta.shared::cluster.u64 %l3, %l3; mbarrier.test_wait.parity.b64 %q1, [%l3], 0;|"
          + "one of its own",
      "mbarrier.arrive.b64 _, [%p0];|outside shared memory",
      "mbarrier.arrive.shared::cluster.b64 _, [%r5+8];|not initialised",
      "st.async.shared::cluster.mbarrier::complete_tx::bytes.u32 [%r7], %r8, [%r3];|must be in the same",
      "mbarrier.complete_tx.relaxed.cluster.shared::cluster.b64 [%r5], 0x100000;|transaction count of -1048576"})
  void misuseIsAnError(String use, String message) {
    var ptx = Clusters.kernel(1, handOver(1, use));
    var result = Clusters.run(ptx, 2, 64, Kernels.PLAIN, new int[64]);
    assertEquals(List.of(Kind.INVALID_OPERATION), Kernels.kinds(result), result.findings().toString());
    assertTrue(result.findings().getFirst().message().contains(message), result.findings().toString());
  }

  @Test
  void aDeadlockTellsWhoArrivedAndWhoOnlyBefore() {
    // Of rank 1, one warp arrives once and one twice; rank 0 arrives in both phases.
    var body = INIT.replace("COUNT", "3") + """
        mapa.shared::cluster.u32 %r5, %r3, 0;
        and.b32 %r6, %t, 31;
        setp.ne.u32 %q3, %r6, 0;
        setp.eq.u32 %q1, %r1, 0;
        @%q1 setp.gt.or.u32 %q3, %t, 0, %q3;
        @!%q3 mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%r5];
        @!%q1 bra OTHERS;
        """ + WAIT + """
        @!%q3 mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%r5];
        MORE: mbarrier.try_wait.parity.shared::cta.b64 %q2, [%r3], 1;
        @!%q2 bra MORE;
        bra OUT;
        OTHERS:
        setp.eq.u32 %q4, %t, 0;
        @%q4 mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%r5];
        OUT:
        """ + STAY;
    for (long seed = 0; seed < 6; seed++) {
      var result = Clusters.run(Clusters.kernel(1, body), 2, 64, Kernels.PLAIN.withSeed(seed), new int[1]);
      // The arrival for the second phase may come before the first is over: then there are too many.
      if (Kernels.kinds(result).equals(List.of(Kind.INVALID_OPERATION))) continue;
      assertEquals(List.of(Kind.DEADLOCK), Kernels.kinds(result));
      var message = result.findings().getFirst().message();
      assertTrue(message.contains("mbarrier shared 'bar' + 0: phase 1, 1 of 3 arrivals pending, transaction count 0"),
          message);
      // Which of the other block's warps arrived twice depends on who came first.
      assertTrue(message.matches(".*arrived only in earlier phases: warp [01] of block \\(1,0,0\\)"
          + "(, warp 1 of block \\(1,0,0\\))?[;,].*"), message);
    }
  }

  @Test
  void aWaitThatMayGiveUpLetsItsThreadDoSomethingElse() {
    // The one thread waits for a phase that it completes itself when the wait has come back in vain.
    var body = """
        .shared .align 8 .b64 bar;
        mbarrier.init.shared.b64 [bar], 1;
        mov.u32 %r0, 0;
        AGAIN: mbarrier.try_wait.parity.shared.b64 %q0, [bar], 0, 1000;
        @%q0 bra DONE;
        add.u32 %r0, %r0, 1;
        setp.eq.u32 %q1, %r0, 50;
        @%q1 mbarrier.arrive.shared.b64 _, [bar];
        bra AGAIN;
        DONE: st.global.u32 [%p0], %r0;
        """;
    int[] out = new int[1];
    assertEquals(List.of(), Kernels.run(Clusters.kernel(1, body), 1, Kernels.PLAIN, out).findings());
    assertEquals(50, out[0]);
  }

  @Test
  void someSeedLetsAWaitFailThatIsNotTriedAgain() {
    var body = """
        .shared .align 8 .b64 bar;
        setp.eq.u32 %q0, %t, 0;
        @%q0 mbarrier.init.shared.b64 [bar], 1;
        bar.sync 0;
        setp.lt.u32 %q1, %t, 32;
        @!%q1 bra WAIT;
        mov.u32 %r1, 0;
        WORK: add.u32 %r1, %r1, 1;
        setp.lt.u32 %q2, %r1, 50;
        @%q2 bra WORK;
        @%q0 mbarrier.arrive.shared.b64 _, [bar];
        ret;
        WAIT: mbarrier.try_wait.parity.shared.b64 %q3, [bar], 0;
        selp.u32 %r0, 1, 2, %q3;
        st.global.u32 [%p0], %r0;
        """;
    var seen = new java.util.TreeSet<Integer>();
    for (long seed = 0; seed < 100; seed++) {
      int[] out = new int[1];
      Kernels.run(Clusters.kernel(1, body), 64, Kernels.SANITIZED.withSeed(seed), out);
      seen.add(out[0]);
    }
    assertEquals(java.util.Set.of(1, 2), seen);
  }
}
