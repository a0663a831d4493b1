package tilewright.simulator;

/** Kernels in which a warp can come to a wait for an mbarrier two phases too late. */
final class MissedPhases {
  private MissedPhases() {}

  /** Warp 0 lets the other wait for a number of rounds, and then completes two phases at once. */
  static String afterIdling(int rounds) {
    return """
        .shared .align 8 .b64 bar;
        mov.u32 %%r0, %%tid.x;
        setp.ne.u32 %%q0, %%r0, 0;
        @%%q0 bra ready;
        mbarrier.init.shared.b64 [bar], 1;
        ready:
        bar.sync 0;
        setp.lt.u32 %%q1, %%r0, 32;
        @%%q1 bra first;
        wait:
        mbarrier.try_wait.parity.shared.b64 %%q2, [bar], 0;
        @!%%q2 bra wait;
        st.global.u32 [%%p0], 7;
        ret;
        first:
        mov.u32 %%r1, 0;
        idle:
        add.u32 %%r1, %%r1, 1;
        setp.lt.u32 %%q3, %%r1, %d;
        @%%q3 bra idle;
        @%%q0 ret;
        mbarrier.arrive.shared.b64 %%l1, [bar];
        mbarrier.arrive.shared.b64 %%l2, [bar];
        """.formatted(rounds);
  }

  /** Thread 0 copies some times; all await each copy by parity, and nothing else holds warp 0 back. */
  static String ofCopies(int copies) {
    return """
        .shared .align 16 .b8 target[16];
        .shared .align 8 .b64 bar;
        mov.u32 %%r0, %%tid.x;
        mov.u32 %%r1, 0;
        mov.u32 %%r2, target;
        setp.ne.u32 %%q0, %%r0, 0;
        @%%q0 bra ready;
        mbarrier.init.shared.b64 [bar], 1;
        fence.proxy.async;
        ready:
        bar.sync 0;
        copy:
        @%%q0 bra wait;
        mbarrier.arrive.expect_tx.shared.b64 %%l1, [bar], 16;
        cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%%r2], [%%p0], 16, [bar];
        wait:
        and.b32 %%r3, %%r1, 1;
        again:
        mbarrier.try_wait.parity.shared.b64 %%q2, [bar], %%r3;
        @!%%q2 bra again;
        add.u32 %%r1, %%r1, 1;
        setp.lt.u32 %%q1, %%r1, %d;
        @%%q1 bra copy;
        """.formatted(copies);
  }
}
