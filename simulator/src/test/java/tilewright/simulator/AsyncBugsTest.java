package tilewright.simulator;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import org.junit.jupiter.api.Test;

/**
 * Kernels with one mistake each in the use of mbarriers, bulk copies and clusters, and the same without it: the report
 * names the place whatever the seed, the twin is clean.
 */
class AsyncBugsTest implements PlantedBugs {
  /**
   * r10: the tile; r11: this thread's word of it; r12: the mbarrier, which thread 0 initialises for one arrival; q0: is
   * thread 0; r20: the block's rank.
   */
  private static final String START = """
      .shared .align 128 .b8 tile[512];
      .shared .align 8 .b64 bar;
      mov.u32 %r10, tile;
      mad.lo.u32 %r11, %t, 4, %r10;
      mov.u32 %r12, bar;
      setp.eq.u32 %q0, %t, 0;
      mov.u32 %r20, %cluster_ctarank;
      """;
  private static final String INIT = START + """
      @%q0 mbarrier.init.shared.b64 [%r12], 1;
      @%q0 fence.mbarrier_init.release.cluster;
      bar.sync 0;
      """;
  private static final String MEET = "barrier.cluster.arrive;\nbarrier.cluster.wait;\n";

  private static String await(String label, int parity) {
    return label + ": mbarrier.try_wait.parity.shared.b64 %q2, [%r12], " + parity + ";\n@!%q2 bra " + label + ";\n";
  }

  private static final List<SeededBug> BUGS = List.of(
      SeededBug.sm90("a bulk store of what was written without a proxy fence", 1, 64,
          Finding.Kind.MISSING_PROXY_FENCE, START + """
          st.shared.u32 [%r11], %t; // THERE
          FIX[fence.proxy.async.shared::cta;]
          bar.sync 0;
          @%q0 cp.async.bulk.global.shared::cta.bulk_group [%p1], [%r10], 256; // HERE
          @%q0 cp.async.bulk.commit_group;
          @%q0 cp.async.bulk.wait_group 0;
          """, "thread (0,0,0) of block (0,0,0) asynchronously reads shared 'tile' + 0", "asynchronous proxy",
          "add fence.proxy.async behind the writes of line"),
      SeededBug.sm90("a proxy fence behind the barrier instead of before it", 1, 64,
          Finding.Kind.MISSING_PROXY_FENCE, START + """
          st.shared.u32 [%r11], %t; // THERE
          FIX[fence.proxy.async;]
          bar.sync 0;
          BAD[fence.proxy.async;]
          @%q0 cp.async.bulk.global.shared::cta.bulk_group [%p1], [%r10], 256; // HERE
          @%q0 cp.async.bulk.commit_group;
          @%q0 cp.async.bulk.wait_group 0;
          """, "which thread (1,0,0) of the same warp (warp 0) writes at line"),
      SeededBug.sm90("a bulk store without a barrier behind the writes", 1, 64, Finding.Kind.RACE, START + """
          st.shared.u32 [%r11], %t; // THERE
          fence.proxy.async.shared::cta;
          FIX[bar.sync 0;]
          @%q0 cp.async.bulk.global.shared::cta.bulk_group [%p1], [%r10], 256; // HERE
          @%q0 cp.async.bulk.commit_group;
          @%q0 cp.async.bulk.wait_group 0;
          """, "asynchronously reads shared 'tile' + ", "writes"),
      SeededBug.sm90("the source of a bulk store overwritten too early", 1, 64, Finding.Kind.RACE, START + """
          st.shared.u32 [%r11], %t;
          fence.proxy.async.shared::cta;
          bar.sync 0;
          @%q0 cp.async.bulk.global.shared::cta.bulk_group [%p1], [%r10], 256; // THERE
          @%q0 cp.async.bulk.commit_group;
          FIX[@%q0 cp.async.bulk.wait_group.read 0;]
          bar.sync 0;
          st.shared.u32 [%r11], 7; // HERE
          """, "writes shared 'tile' + ", "the source of an asynchronous copy", "wait_group.read"),
      SeededBug.sm90("a wait for all bulk stores but the one that matters", 1, 64, Finding.Kind.RACE, START + """
          st.shared.u32 [%r11], %t;
          st.shared.u32 [%r11+256], %t;
          fence.proxy.async.shared::cta;
          bar.sync 0;
          @%q0 cp.async.bulk.global.shared::cta.bulk_group [%p1], [%r10+256], 256;
          @%q0 cp.async.bulk.commit_group;
          @%q0 cp.async.bulk.global.shared::cta.bulk_group [%p1+256], [%r10], 256; // THERE
          @%q0 cp.async.bulk.commit_group;
          BAD[@%q0 cp.async.bulk.wait_group.read 1;]
          FIX[@%q0 cp.async.bulk.wait_group.read 0;]
          bar.sync 0;
          st.shared.u32 [%r11], 7; // HERE
          """, "the source of an asynchronous copy, which thread (0,0,0)"),
      SeededBug.sm90("an mbarrier that is not ready for copies", 1, 32, Finding.Kind.RACE, START + """
          @%q0 mbarrier.init.shared.b64 [%r12], 1; // THERE
          FIX[@%q0 fence.mbarrier_init.release.cluster;]
          bar.sync 0;
          @%q0 mbarrier.arrive.expect_tx.shared.b64 _, [%r12], 256;
          @%q0 cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r10], [%p0], 256, [%r12]; // HERE
          """ + await("W", 0), "uses the mbarrier shared 'bar' + 0", "initialises at line", "fence.mbarrier_init"),
      SeededBug.sm90("a peer that uses an mbarrier without knowing of its initialisation", 2, 32, Finding.Kind.RACE,
          START + """
          @%q0 mbarrier.init.shared.b64 [%r12], 1; // THERE
          FIX[@%q0 fence.mbarrier_init.release.cluster;]
          bar.warp.sync -1;
          barrier.cluster.arrive.relaxed;
          barrier.cluster.wait;
          xor.b32 %r1, %r20, 1;
          mapa.shared::cluster.u32 %r2, %r12, %r1;
          @%q0 mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%r2]; // HERE
          """ + await("W", 0) + MEET, "uses the mbarrier shared 'bar' + 0 of block (",
          "fence.mbarrier_init.release.cluster behind the initialisation, then barrier.cluster"),
      SeededBug.sm90("a multicast copy to a peer whose mbarrier may not be initialised", 2, 32, Finding.Kind.RACE,
          START + """
          @%q0 mbarrier.init.shared.b64 [%r12], 1; // THERE
          FIX[@%q0 fence.mbarrier_init.release.cluster;]
          bar.warp.sync -1;
          barrier.cluster.arrive.relaxed;
          barrier.cluster.wait;
          setp.eq.and.u32 %q1, %r20, 0, %q0;
          mov.u16 %h0, 3;
          @%q0 mbarrier.arrive.expect_tx.shared.b64 _, [%r12], 256;
          @%q1 cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster // HERE
            [%r10], [%p0], 256, [%r12], %h0;
          """ + await("W", 0) + MEET, "uses the mbarrier shared 'bar' + 0", "initialises at line",
          "fence.mbarrier_init.release.cluster"),
      SeededBug.sm90("more bytes expected than a copy brings", 1, 32, Finding.Kind.DEADLOCK, INIT + """
          BAD[@%q0 mbarrier.arrive.expect_tx.shared.b64 _, [%r12], 320;]
          FIX[@%q0 mbarrier.arrive.expect_tx.shared.b64 _, [%r12], 256;]
          @%q0 cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r10], [%p0], 256, [%r12];
          W: mbarrier.try_wait.parity.shared.b64 %q2, [%r12], 0; // HERE
          @!%q2 bra W;
          """, "transaction count 64 (bytes expected that nothing brings)"),
      SeededBug.sm90("a copy's data read by a thread that did not wait for it", 1, 64, Finding.Kind.PENDING_COPY_READ,
          INIT + """
          @%q0 mbarrier.arrive.expect_tx.shared.b64 _, [%r12], 256;
          @%q0 cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r10], [%p0], 256, [%r12]; // THERE
          bar.sync 0;
          FIX[W: mbarrier.try_wait.parity.shared.b64 %q2, [%r12], 0;]
          FIX[@!%q2 bra W;]
          ld.shared.u32 %r0, [%r11]; // HERE
          """, "reads shared 'tile' + ", "the destination of an asynchronous copy, which thread (0,0,0)",
          "wait for the phase of the mbarrier"),
      SeededBug.sm90("a stage refilled while threads still read it", 1, 64, Finding.Kind.RACE, INIT + """
          st.shared.u32 [%r11], %t;
          bar.sync 0;
          xor.b32 %r1, %r11, 4;
          ld.shared.u32 %r0, [%r1]; // THERE
          FIX[bar.sync 0;]
          @%q0 mbarrier.arrive.expect_tx.shared.b64 _, [%r12], 256;
          @%q0 cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r10], [%p0], 256, [%r12]; // HERE
          """ + await("W", 0), "asynchronously writes shared 'tile' + ", "reads at line"),
      SeededBug.sm90("a stage refilled while one thread reads one word amid it", 1, 64, Finding.Kind.RACE, INIT + """
          st.shared.u32 [%r11], %t;
          bar.sync 0;
          setp.eq.u32 %q1, %t, 21;
          @%q1 ld.shared.u32 %r0, [%r10+100]; // THERE
          FIX[bar.sync 0;]
          @%q0 mbarrier.arrive.expect_tx.shared.b64 _, [%r12], 256;
          @%q0 cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r10], [%p0], 256, [%r12]; // HERE
          """ + await("W", 0), "asynchronously writes shared 'tile' + 100", "thread (21,0,0)", "reads at line"),
      SeededBug.sm90("a wait by parity two phases behind", 1, 64, Finding.Kind.PHASE_MISSED, INIT + """
          setp.ge.u32 %q1, %t, 32;
          @%q1 bra LATE;
          @%q0 mbarrier.arrive.shared.b64 _, [%r12];
          """ + await("W0", 0) + "@%q0 mbarrier.arrive.shared.b64 _, [%r12];\n" + await("W1", 1)
          + "@%q0 mbarrier.arrive.shared.b64 _, [%r12];\n" + await("W2", 0) + """
          BAD[st.relaxed.gpu.global.u32 [%p0], 1;]
          bar.arrive 1, 64;
          bra END;
          LATE:
          BAD[SPIN: ld.relaxed.gpu.global.u32 %r3, [%p0];]
          BAD[setp.eq.u32 %q3, %r3, 0;]
          BAD[@%q3 bra SPIN;]
          FIX[bar.sync 1, 64;]
          V: mbarrier.try_wait.parity.shared.b64 %q2, [%r12], 0; // HERE
          @!%q2 bra V;
          BAD[bar.sync 1, 64;]
          END:
          """, "passes phase 2 of the mbarrier shared 'bar' + 0 by its parity", "knows of no earlier phase",
          "cannot tell phase 2 from phase 0"),
      SeededBug.sm90("a remote arrival of too narrow a scope", 2, 32, Finding.Kind.RACE, INIT + MEET + """
          setp.eq.u32 %q1, %r20, 0;
          mapa.shared::cluster.u32 %r2, %r12, 0;
          mapa.shared::cluster.u32 %r3, %r10, 0;
          @%q1 bra READ;
          @%q0 st.shared::cluster.u32 [%r3], 7; // THERE
          BAD[@%q0 mbarrier.arrive.shared::cluster.b64 _, [%r2];]
          FIX[@%q0 mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%r2];]
          bra END;
          READ: mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 %q2, [%r12], 0;
          @!%q2 bra READ;
          ld.shared.u32 %r0, [%r10]; // HERE
          END:
          """ + MEET, "thread (0,0,0) of block (1,0,0)", "releases", "scope .cluster: the default, .cta"),
      SeededBug.sm90("a block that exits while its peer reads its shared memory", 2, 32, Finding.Kind.RACE, START + """
          st.shared.u32 [%r11], %t;
          """ + MEET + """
          setp.eq.u32 %q1, %r20, 0;
          mapa.shared::cluster.u32 %r3, %r11, 1;
          @%q1 ld.shared::cluster.u32 %r0, [%r3]; // HERE
          BAD[bar.warp.sync -1;]
          BAD[@%q1 st.relaxed.gpu.global.u32 [%p0], 1;]
          BAD[SPIN: ld.relaxed.gpu.global.u32 %r5, [%p0];]
          BAD[setp.eq.u32 %q3, %r5, 0;]
          BAD[@%q3 bra SPIN;]
          FIX[barrier.cluster.arrive;]
          FIX[barrier.cluster.wait;]
          """, "accesses the shared memory of block (1,0,0)", "nothing makes sure that that has not exited"));

  @Test
  void allWritesThatOneFenceWouldCoverAreOneFinding() {
    var stores = "st.shared.u32 [%r11], %t;\nst.shared.u32 [%r11+128], %t;\nst.shared.u32 [%r11+256], %t;\n";
    var copies = "@%q0 cp.async.bulk.global.shared::cta.bulk_group [%p1], [%r10], 256;\n"
        + "@%q0 cp.async.bulk.global.shared::cta.bulk_group [%p1+256], [%r10+128], 256;\n";
    var findings = Kernels.run(Kernels.kernel("sm_90a", 2, "", START + stores + "bar.sync 0;\n" + copies
        + "@%q0 cp.async.bulk.commit_group;\n@%q0 cp.async.bulk.wait_group 0;\n"), 32,
        Kernels.SANITIZED, new int[128], new int[128]).findings();
    assertEquals(List.of(Finding.Kind.MISSING_PROXY_FENCE), findings.stream().map(Finding::kind).toList());
    // The first copy reads what the first two stores wrote, the second one what the last two did; 32 words each.
    assertTrue(findings.getFirst().toString().contains("the first of 4 such pairs of instructions"),
        findings.toString());
    assertEquals(128, findings.getFirst().count());
  }

  @Override
  public List<SeededBug> bugs() {
    return BUGS;
  }
}
