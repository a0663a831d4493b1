package tilewright.simulator;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.List;
import org.junit.jupiter.api.Test;

/** As {@link AsyncBugsTest}, for what bulk copies read and write in global memory. */
class GlobalCopyBugsTest implements PlantedBugs {
  /**
   * r10: the tile, 256 bytes that the threads have written and that are fit for copies, r11 a thread's word of it; r12:
   * the mbarrier, which thread 0 has initialised for one arrival; q0: is thread 0; l0 and l1: this thread's words of the
   * buffers.
   */
  static final String START = """
      .shared .align 128 .b8 tile[256];
      .shared .align 8 .b64 bar;
      mov.u32 %r10, tile;
      mad.lo.u32 %r11, %t, 4, %r10;
      mov.u32 %r12, bar;
      setp.eq.u32 %q0, %t, 0;
      add.s64 %l0, %p0, %t4;
      add.s64 %l1, %p1, %t4;
      @%q0 mbarrier.init.shared.b64 [%r12], 1;
      @%q0 fence.mbarrier_init.release.cluster;
      st.shared.u32 [%r11], %t;
      fence.proxy.async.shared::cta;
      bar.sync 0;
      """;
  private static final String STORE =
      "@%q0 cp.async.bulk.global.shared::cta.bulk_group [%p1], [%r10], 256; // THERE\n"
      + "@%q0 cp.async.bulk.commit_group;\n";
  private static final String REDUCE =
      STORE.replace("cp.async", "cp.reduce.async").replace("bulk_group [", "bulk_group.add.u32 [");
  private static final String LOAD = """
      @%q0 mbarrier.arrive.expect_tx.shared.b64 _, [%r12], 256;
      @%q0 cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r10], [%p0], 256, [%r12]; // HERE
      """;
  private static final String AWAIT = "W: mbarrier.try_wait.parity.shared.b64 %q2, [%r12], 0;\n@!%q2 bra W;\n";
  private static final String WAITS = "@%q0 cp.async.bulk.wait_group 0;\n";
  private static final String READS_ONLY = "@%q0 cp.async.bulk.wait_group.read 0;\n";

  /** By two blocks that are no cluster, of which the first sets a flag, the last word of the first buffer. */
  private static SeededBug acrossBlocks(String name, Finding.Kind kind, String body, String... facts) {
    return new SeededBug(name, "sm_90a", 2, 1, 64, kind, body, List.of(facts));
  }

  private static final List<SeededBug> BUGS = List.of(
      SeededBug.sm90("a bulk store read by others when only its source has been read", 1, 64,
          Finding.Kind.PENDING_COPY_READ, START + STORE + "BAD[@%q0 cp.async.bulk.wait_group.read 0;]\n"
          + "FIX[@%q0 cp.async.bulk.wait_group 0;]\n" + "bar.sync 0;\nld.global.u32 %r0, [%l1]; // HERE\n",
          "reads 'arg1' + ", "the destination of an asynchronous copy, which thread (0,0,0)", "not its .read form"),
      SeededBug.sm90("a bulk store read by the thread that issued it before it is done", 1, 64,
          Finding.Kind.PENDING_COPY_READ, START + STORE + "FIX[" + WAITS.strip() + "]\n"
          + "@%q0 ld.global.u32 %r0, [%p1]; // HERE\n" + WAITS, "thread (0,0,0) of block (0,0,0) reads 'arg1' + 0"),
      SeededBug.sm90("a bulk store read without a barrier behind the wait for it", 1, 64,
          Finding.Kind.PENDING_COPY_READ, START + STORE + WAITS + "FIX[bar.sync 0;]\n"
          + "ld.global.u32 %r0, [%l1]; // HERE\n", "reads 'arg1' + 4", "then a barrier, or a flag"),
      acrossBlocks("a bulk store handed to another block before it is done", Finding.Kind.PENDING_COPY_READ, START + """
          mov.u32 %r1, %ctaid.x;
          setp.ne.u32 %q1, %r1, 0;
          @%q1 bra SPIN;
          """ + STORE + "BAD[@%q0 cp.async.bulk.wait_group.read 0;]\nFIX[@%q0 cp.async.bulk.wait_group 0;]\n" + """
          @%q0 st.release.gpu.global.u32 [%p0+4092], 1;
          bra END;
          SPIN: ld.acquire.gpu.global.u32 %r2, [%p0+4092];
          setp.eq.u32 %q3, %r2, 0;
          @%q3 bra SPIN;
          ld.global.u32 %r0, [%l1]; // HERE
          END:
          """, "of block (1,0,0) reads 'arg1' + ", "thread (0,0,0) of block (0,0,0)"),
      SeededBug.sm90("what a bulk store writes overwritten before it is done", 1, 64, Finding.Kind.RACE,
          START + STORE + "BAD[" + READS_ONLY.strip() + "]\nFIX[" + WAITS.strip() + "]\nbar.sync 0;\n"
          + "st.global.u32 [%l1], 7; // HERE\n", "writes 'arg1' + ", "the destination of an asynchronous copy"),
      SeededBug.sm90("two bulk stores to one place", 1, 64, Finding.Kind.RACE, START + STORE
          + "FIX[" + WAITS.strip() + "]\n" + STORE.replace("THERE", "HERE") + WAITS,
          "asynchronously writes 'arg1' + 0", "the destination of an asynchronous copy"),
      SeededBug.sm90("a bulk load of what others have just written", 1, 64, Finding.Kind.RACE, START + """
          st.global.u32 [%l0], %t; // THERE
          FIX[fence.proxy.async.global;]
          FIX[bar.sync 0;]
          """ + LOAD + AWAIT, "asynchronously reads 'arg0' + ", "put __syncthreads() (bar.sync) between"),
      SeededBug.sm90("a bulk load of what was written without a proxy fence for global memory", 1, 64,
          Finding.Kind.MISSING_PROXY_FENCE, START + """
          st.global.u32 [%l0], %t; // THERE
          FIX[fence.proxy.async.global;]
          BAD[fence.proxy.async.shared::cta;]
          bar.sync 0;
          """ + LOAD + AWAIT, "asynchronously reads 'arg0' + 0", "through the asynchronous proxy"),
      SeededBug.sm90("a bulk reduction onto what was set without a proxy fence", 1, 64,
          Finding.Kind.MISSING_PROXY_FENCE, START + """
          st.global.u32 [%l1], 0; // THERE
          FIX[fence.proxy.async;]
          bar.sync 0;
          """ + REDUCE.replace("THERE", "HERE") + WAITS, "asynchronously updates 'arg1' + 0"),
      SeededBug.sm90("a bulk load of what a bulk store may not have written yet", 1, 64,
          Finding.Kind.PENDING_COPY_READ, START + STORE.replace("%p1", "%p0") + "BAD[" + READS_ONLY.strip() + "]\nFIX["
          + WAITS.strip() + "]\n" + LOAD + AWAIT, "asynchronously reads 'arg0' + 0"),
      SeededBug.sm90("global memory overwritten while a bulk load still reads it", 1, 64, Finding.Kind.RACE, START
          + LOAD.replace("HERE", "THERE") + "FIX[" + AWAIT.replace("\n@", "]\nFIX[@").strip() + "]\n"
          + "@%q0 st.global.u32 [%p0+64], 7; // HERE\n" + AWAIT.replace("W", "V"), "writes 'arg0' + 64",
          "the source of an asynchronous copy", "wait for the phase of the mbarrier"),
      SeededBug.sm90("a tensor store read when only its source has been read", 1, 64, Finding.Kind.PENDING_COPY_READ,
          START + """
          mov.u32 %r1, 0;
          @%q0 cp.async.bulk.tensor.2d.global.shared::cta.bulk_group [map, {%r1, %r1}], [%r10]; // THERE
          @%q0 cp.async.bulk.commit_group;
          BAD[@%q0 cp.async.bulk.wait_group.read 0;]
          FIX[@%q0 cp.async.bulk.wait_group 0;]
          bar.sync 0;
          ld.global.u32 %r0, [%p0+128]; // HERE
          """, "reads 'arg0' + 128", "the destination of an asynchronous copy"));

  @Override
  public List<SeededBug> bugs() {
    return BUGS;
  }

  @Test
  void reductionsGoTogetherWithEachOtherAndWithAtomics() {
    var together = new SeededBug("reductions", "sm_90a", 2, 1, 64, Finding.Kind.RACE,
        START + REDUCE + "red.relaxed.gpu.global.add.u32 [%l1], 1;\n" + WAITS, List.of());
    assertEquals(List.of(), together.findings(false, CLEAN_SEEDS).stream().flatMap(List::stream).toList());
  }
}
