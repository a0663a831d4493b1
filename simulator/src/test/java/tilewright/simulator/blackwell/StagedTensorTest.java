package tilewright.simulator.blackwell;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Warps that use Tensor Memory at the same time do not meet in what the simulator executes in several steps. */
class StagedTensorTest {
  private static final int SEEDS = Integer.getInteger("tilewright.stagedSeeds", 6);
  private static final int COLUMNS = 64;

  /** Each warp goes round a loop as often as its number and a hash say. */
  private static String delay(String label, int factor) {
    return """
          mul.lo.u32 %%r20, %%w, %1$d;
          and.b32 %%r20, %%r20, 7;
        %2$s:
          setp.eq.u32 %%q3, %%r20, 0;
          @%%q3 bra %2$sED;
          sub.u32 %%r20, %%r20, 1;
          bra %2$s;
        %2$sED:
        """.formatted(factor, label);
  }

  /** Eight warps: two for each quarter of the lanes, with columns of their own. */
  @ParameterizedTest
  @CsvSource({"32x32b.x16, 16", "16x256b.x4, 16", "16x64b.x8, 8"})
  void eachWarpLoadsWhatItStored(String shape, int registers) {
    var body = new StringBuilder(Blackwell.allocate(COLUMNS) + """
          and.b32 %r1, %w, 3;
          shl.b32 %r1, %r1, 21;
          add.u32 %r1, %r1, %tm;
          shr.u32 %r2, %w, 2;
          mad.lo.u32 %r1, %r2, 32, %r1;
        """);
    for (int r = 0; r < registers; r++) body.append("  mad.lo.u32 %v" + r + ", %t, 1000, " + r + ";\n");
    body.append(delay("BEFORE", 5) + "  tcgen05.st.sync.aligned." + shape + ".b32 [%r1], "
        + Blackwell.vector("%v", registers) + ";\n  tcgen05.wait::st.sync.aligned;\n");
    for (int r = 0; r < registers; r++) body.append("  mov.u32 %v" + r + ", 0;\n");
    body.append(delay("BETWEEN", 3) + "  tcgen05.ld.sync.aligned." + shape + ".b32 "
        + Blackwell.vector("%v", registers) + ", [%r1];\n  tcgen05.wait::ld.sync.aligned;\n"
        + "  mul.wide.u32 %l1, %t, " + 4 * registers + ";\n  add.u64 %l1, %l1, %p0;\n");
    for (int r = 0; r < registers; r++) body.append("  st.global.b32 [%l1+" + 4 * r + "], %v" + r + ";\n");
    var ptx = Blackwell.kernel(1, "", body + Blackwell.free(COLUMNS));
    for (int seed = 0; seed < SEEDS; seed++) {
      var out = new int[256 * registers];
      assertEquals(List.of(), Blackwell.run(ptx, 1, 1, 256, 16, Blackwell.PLAIN.withSeed(seed), out).findings());
      for (int i = 0; i < out.length; i++) {
        assertEquals(i / registers * 1000 + i % registers, out[i], "seed " + seed + " register " + i);
      }
    }
  }

  /** Four products of 128 by 16 with operands of their own, copies of other columns, and what Tensor Memory holds then. */
  private static int[] products(boolean shared, int seed) {
    var one = """
          mad.lo.u32 %r5, %r4, 8192, %sm;
          add.u32 %r5, %r5, 1024;
          shr.u32 %r5, %r5, 4;
          cvt.u64.u32 %l1, %r5;
          or.b64 %l1, %l1, 0x0000401000080000;
          add.u64 %l2, %l1, 256;
          mad.lo.u32 %r6, %r4, 16, %tm;
          mov.b32 %r10, 0x08040010;
          tcgen05.mma.cta_group::1.kind::f16 [%r6], %l1, %l2, %r10, %q0;
          add.u32 %r6, %r6, 64;
          tcgen05.cp.cta_group::1.128x128b [%r6], %l1;
          tcgen05.commit.cta_group::1.mbarrier::arrive::one.shared::cluster.b64 [%r1];
        """;
    var issue = new StringBuilder();
    if (shared) {
      issue.append(delay("BEFORE", 5) + "  mov.u32 %r4, %w;\n" + one);
    } else {
      for (int product = 0; product < 4; product++) {
        issue.append("  mov.u32 %r4, " + product + ";\n" + one);
      }
    }
    var ptx = Blackwell.kernel(1, "", """
          add.u32 %%r1, %%sm, 16;
          setp.ne.u32 %%q4, %%t, 0;
          @%%q4 bra READY;
          mbarrier.init.shared::cta.b64 [%%r1], 4;
        READY:
          mad.lo.u32 %%r2, %%t, 747796405, 1;
          mad.lo.u32 %%r3, %%t, 4, %%sm;
          mov.u32 %%r7, 0;
        FILL:
          mad.lo.u32 %%r2, %%r2, 1664525, 1013904223;
          and.b32 %%r8, %%r2, 0xBBFFBBFF;
          st.shared.b32 [%%r3+1024], %%r8;
          add.u32 %%r3, %%r3, 512;
          add.u32 %%r7, %%r7, 1;
          setp.lt.u32 %%q5, %%r7, 64;
          @%%q5 bra FILL;
          fence.proxy.async;
        %s
          setp.ne.u32 %%q0, 0, 0;
          and.b32 %%r9, %%t, 31;
          setp.ne.u32 %%q6, %%r9, 0;
          setp.ge.u32 %%q7, %%t, %d;
          or.pred %%q6, %%q6, %%q7;
          @%%q6 bra ISSUED;
        %s
        ISSUED:
          mbarrier.try_wait.parity.acquire.cta.shared::cta.b64 %%q6, [%%r1], 0;
          @!%%q6 bra ISSUED;
          tcgen05.fence::after_thread_sync;
          shl.b32 %%r2, %%w, 21;
          add.u32 %%r2, %%r2, %%tm;
          tcgen05.ld.sync.aligned.32x32b.x128.b32 %s, [%%r2];
          tcgen05.wait::ld.sync.aligned;
          mul.wide.u32 %%l1, %%t, 512;
          add.u64 %%l1, %%l1, %%p0;
        %s%s
        """.formatted(Blackwell.allocate(128), shared ? 128 : 1, issue, Blackwell.vector("%v", 128), spill(),
        Blackwell.free(128)));
    var out = new int[128 * 128];
    Arrays.fill(out, 0xBAD);
    assertEquals(List.of(), Blackwell.run(ptx, 1, 1, 128, 1024 + 4 * 8192, Blackwell.PLAIN.withSeed(seed), out)
        .findings(), "seed " + seed);
    return out;
  }

  private static String spill() {
    var text = new StringBuilder();
    for (int r = 0; r < 128; r++) text.append("  st.global.b32 [%l1+" + 4 * r + "], %v" + r + ";\n");
    return text.toString();
  }

  @Test
  void productsAndCopiesOfFourWarpsAreThoseThatOneWarpIssues() {
    var alone = products(false, 0);
    assertTrue(Arrays.stream(alone).distinct().count() > 4096, "the values hardly differ");
    for (int seed = 0; seed < SEEDS; seed++) assertArrayEquals(alone, products(true, seed), "seed " + seed);
  }
}
