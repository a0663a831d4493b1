package tilewright.simulator;

import java.util.List;

/** As {@link AsyncBugsTest}, for {@code wgmma} and the registers of warpgroups. */
class WgmmaBugsTest implements PlantedBugs {
  /**
   * A is 64 by 16 and B 16 by 8 of bf16 in core matrices of 8 by 16 bytes, that of A from l0 and that of B from l1; r11
   * is this thread's 16 bytes of A, r12 its own of B, if q0.
   */
  private static final String START = """
      .shared .align 128 .b8 a[2048];
      .shared .align 128 .b8 b[256];
      mov.u32 %r9, a;
      mov.u32 %r10, b;
      mad.lo.u32 %r11, %t, 16, %r9;
      mad.lo.u32 %r12, %t, 16, %r10;
      shr.u32 %r1, %r9, 4;
      shr.u32 %r2, %r10, 4;
      cvt.u64.u32 %l0, %r1;
      cvt.u64.u32 %l1, %r2;
      or.b64 %l0, %l0, 0x0000001000080000;
      or.b64 %l1, %l1, 0x0000001000080000;
      setp.lt.u32 %q0, %t, 16;
      setp.eq.u32 %q1, %t, %t;
      mov.f32 %f0, 0f00000000;
      mov.f32 %f1, %f0;
      mov.f32 %f2, %f0;
      mov.f32 %f3, %f0;
      """;
  private static final String WRITE = """
      st.shared.v4.u32 [%r11], {%t, %t, %t, %t};
      @%q0 st.shared.v4.u32 [%r12], {%t, %t, %t, %t};
      fence.proxy.async.shared::cta;
      bar.sync 0;
      """;
  private static final String MULTIPLY =
      "wgmma.mma_async.sync.aligned.m64n8k16.f32.bf16.bf16 {%f0, %f1, %f2, %f3}, %l0, %l1, %q1, 1, 1, 0, 0;";
  private static final String WAIT = "wgmma.commit_group.sync.aligned;\nwgmma.wait_group.sync.aligned 0;\n";

  private static final List<SeededBug> BUGS = List.of(
      SeededBug.sm90("a matrix written without a proxy fence", 1, 128, Finding.Kind.MISSING_PROXY_FENCE, START + """
          @%q0 st.shared.v4.u32 [%r12], {%t, %t, %t, %t};
          @%q0 fence.proxy.async.shared::cta;
          st.shared.v4.u32 [%r11], {%t, %t, %t, %t}; // THERE
          FIX[fence.proxy.async.shared::cta;]
          bar.sync 0;
          wgmma.fence.sync.aligned;
          """ + MULTIPLY + " // HERE\n" + WAIT, "asynchronously reads shared 'a' + ", "through the generic one"),
      SeededBug.sm90("a first wgmma without wgmma.fence", 1, 128, Finding.Kind.MISSING_FENCE, START + WRITE + """
          FIX[wgmma.fence.sync.aligned;]
          """ + MULTIPLY + " // HERE\n" + WAIT, "no wgmma.fence came before it", "put wgmma.fence.sync.aligned"),
      SeededBug.sm90("sums that are set behind wgmma.fence", 1, 128, Finding.Kind.MISSING_FENCE, START + WRITE + """
          BAD[wgmma.fence.sync.aligned;]
          mov.f32 %f2, 0f3F800000;
          FIX[wgmma.fence.sync.aligned;]
          """ + MULTIPLY + " // HERE\n" + WAIT, "a register of it was used at line", "mov.f32 %f2"),
      SeededBug.sm90("sums that are read and then replaced without wgmma.fence", 1, 128, Finding.Kind.MISSING_FENCE,
          START + WRITE + "wgmma.fence.sync.aligned;\n" + MULTIPLY + WAIT + """
          add.rn.f32 %f4, %f2, %f2;
          FIX[wgmma.fence.sync.aligned;]
          """ + MULTIPLY + " // HERE\n" + WAIT, "a register of it was used at line", "add.rn.f32 %f4"),
      SeededBug.sm90("sums read before wait_group", 1, 128, Finding.Kind.REGISTER_IN_FLIGHT, START + WRITE + """
          wgmma.fence.sync.aligned;
          """ + MULTIPLY + """

          wgmma.commit_group.sync.aligned;
          setp.eq.u32 %q2, %t, 0;
          FIX[wgmma.wait_group.sync.aligned 0;]
          @%q2 st.global.f32 [%p1], %f0; // HERE
          BAD[wgmma.wait_group.sync.aligned 0;]
          """, "read a register that holds sums",
          "wgmma.wait_group"),
      SeededBug.sm90("a matrix overwritten before wgmma has read it", 1, 128, Finding.Kind.RACE, START + WRITE + """
          wgmma.fence.sync.aligned;
          """ + MULTIPLY + """
           // THERE
          wgmma.commit_group.sync.aligned;
          FIX[wgmma.wait_group.sync.aligned 0;]
          bar.sync 0;
          st.shared.v4.u32 [%r11], {%t, %t, %t, %t}; // HERE
          BAD[wgmma.wait_group.sync.aligned 0;]
          """, "writes shared 'a' + ", "the source of an asynchronous operation", "wgmma.wait_group"),
      SeededBug.sm90("a wait for all groups but the one that matters", 1, 128, Finding.Kind.RACE, START + WRITE + """
          wgmma.fence.sync.aligned;
          """ + MULTIPLY + """

          wgmma.commit_group.sync.aligned;
          """ + MULTIPLY + """
           // THERE
          wgmma.commit_group.sync.aligned;
          BAD[wgmma.wait_group.sync.aligned 1;]
          FIX[wgmma.wait_group.sync.aligned 0;]
          bar.sync 0;
          st.shared.v4.u32 [%r11], {%t, %t, %t, %t}; // HERE
          """, "before that has been waited for"),
      SeededBug.sm90("a stage refilled before wgmma has read it", 1, 128, Finding.Kind.RACE, START + """
          .shared .align 8 .b64 bar;
          setp.eq.u32 %q2, %t, 0;
          @%q2 mbarrier.init.shared.b64 [bar], 1;
          @%q2 fence.mbarrier_init.release.cluster;
          """ + WRITE + """
          wgmma.fence.sync.aligned;
          """ + MULTIPLY + """
           // THERE
          wgmma.commit_group.sync.aligned;
          FIX[wgmma.wait_group.sync.aligned 0;]
          bar.sync 0;
          @%q2 mbarrier.arrive.expect_tx.shared.b64 _, [bar], 2048;
          @%q2 cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [a], [%p0], 2048, [bar]; // HERE
          BAD[wgmma.wait_group.sync.aligned 0;]
          W: mbarrier.try_wait.parity.shared.b64 %q3, [bar], 0;
          @!%q3 bra W;
          """, "asynchronously writes shared 'a' + ", "the source of an asynchronous operation"));

  @Override
  public List<SeededBug> bugs() {
    return BUGS;
  }
}
