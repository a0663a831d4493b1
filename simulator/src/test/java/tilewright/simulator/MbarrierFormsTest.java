package tilewright.simulator;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The mbarrier instructions of SM80 beside arrive and wait. */
class MbarrierFormsTest {
  private static int[] single(String body) {
    int[] out = new int[1];
    var ptx = Kernels.kernel(1, ".shared .align 8 .b64 bar;\n" + body + "st.global.u32 [%p0], %r0;\n");
    assertEquals(List.of(), Kernels.run(ptx, 1, Kernels.SANITIZED, out).findings());
    return out;
  }

  @Test
  void pendingCountIsThatBeforeTheArrival() {
    assertEquals(7 * 10_000 + 5 * 100 + 7, single("""
        mbarrier.init.shared.b64 [bar], 7;
        mbarrier.arrive.noComplete.shared.b64 %l1, [bar], 2;
        mbarrier.arrive.shared.b64 %l2, [bar], 5;
        mbarrier.arrive.shared.b64 %l3, [bar];
        mbarrier.pending_count.b64 %r1, %l1;
        mbarrier.pending_count.b64 %r2, %l2;
        mbarrier.pending_count.b64 %r3, %l3;
        mad.lo.u32 %r0, %r1, 100, %r2;
        mad.lo.u32 %r0, %r0, 100, %r3;
        """)[0]);
  }

  @Test
  void droppedThreadsAreNotAwaitedInLaterPhases() {
    assertEquals(4 * 100 + 1, single("""
        mbarrier.init.shared.b64 [bar], 6;
        mbarrier.arrive_drop.shared.b64 %l1, [bar], 2;
        mbarrier.arrive.shared.b64 %l2, [bar], 4;
        mbarrier.test_wait.shared.b64 %q0, [bar], %l1;
        selp.u32 %r1, 1, 0, %q0;
        mbarrier.arrive.shared.b64 %l3, [bar], 4;
        mbarrier.pending_count.b64 %r2, %l3;
        mad.lo.u32 %r0, %r2, 100, %r1;
        """)[0]);
  }

  @Test
  void arrivingWithNoCompleteMustNotComplete() {
    var ptx = Kernels.kernel(1, """
        .shared .align 8 .b64 bar;
        mbarrier.init.shared.b64 [bar], 2;
        mbarrier.arrive.noComplete.shared.b64 %l1, [bar], 2;
        """);
    var result = Kernels.run(ptx, 1, Kernels.PLAIN, new int[1]);
    assertEquals(List.of(Finding.Kind.INVALID_OPERATION), Kernels.kinds(result));
    assertTrue(result.findings().getFirst().message().contains("noComplete"));
  }

  private static String copies(String arrive, int expected) {
    return """
        .shared .align 8 .b64 bar;
        .shared .align 16 .b8 tile[1024];
        mov.u32 %%r10, tile;
        setp.eq.u32 %%q0, %%t, 0;
        @%%q0 mbarrier.init.shared.b64 [bar], %d;
        bar.sync 0;
        mad.lo.u32 %%r11, %%t, 16, %%r10;
        mul.wide.u32 %%l1, %%t, 16;
        add.u64 %%l1, %%l1, %%p0;
        cp.async.cg.shared.global [%%r11], [%%l1], 16;
        %s
        WAIT: mbarrier.test_wait.parity.shared.b64 %%q1, [bar], 0;
        @!%%q1 bra WAIT;
        sub.u32 %%r12, 63, %%t;
        mad.lo.u32 %%r12, %%r12, 16, %%r10;
        ld.shared.u32 %%r0, [%%r12+4];
        """.formatted(expected, arrive) + Instructions.store("u32", "%r0", 1, "%t4");
  }

  @ParameterizedTest
  @CsvSource(delimiter = '|', value = {"cp.async.mbarrier.arrive.noinc.shared.b64 [bar];|64",
      "cp.async.mbarrier.arrive.shared.b64 [bar]; mbarrier.arrive.shared.b64 %l2, [bar];|64",
      "mov.u64 %l3, bar; cvta.shared.u64 %l3, %l3; cp.async.mbarrier.arrive.noinc.b64 [%l3];|64"})
  void waitersSeeTheCopiesThatArriveAtTheMbarrier(String arrive, int expected) {
    int[] in = IntStream.range(0, 256).map(i -> 7 * i).toArray();
    for (long seed = 0; seed < 8; seed++) {
      int[] out = new int[64];
      var result = Kernels.run(Kernels.kernel(2, copies(arrive, expected)), 64, Kernels.SANITIZED.withSeed(seed), in,
          out);
      assertEquals(List.of(), result.findings());
      assertArrayEquals(IntStream.range(0, 64).map(t -> 7 * (4 * (63 - t) + 1)).toArray(), out);
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"u32", "b64"})
  void matchAllComparesEveryLane(String type) {
    boolean wide = type.equals("b64");
    var value = wide ? "%l0" : "%r1";
    int[] same = match(wide, "mov.u32 %r2, 0x1ff;", value);
    int[] other = match(wide, "selp.u32 %r2, 9, 0x1ff, %q3;", value);
    for (int lane = 0; lane < 32; lane++) {
      assertEquals(-1, same[lane]);
      assertEquals(lane == 5 ? 1 << 5 : ~(1 << 5), other[lane]);
    }
  }

  /** The lanes with the same value; 0 where match.all and match.any disagree. */
  private static int[] match(boolean wide, String make, String value) {
    int[] out = new int[32];
    var type = wide ? "b64" : "b32";
    var ptx = Kernels.kernel(1, "setp.eq.u32 %q3, %t, 5;\n" + make + """
        mov.u32 %r1, %r2;
        mov.b64 %l0, {%r4, %r2};
        """ + "match.any.sync." + type + " %r5, " + value + ", -1;\n"
        + "match.all.sync." + type + " %r6|%q0, " + value + ", -1;\n" + """
        setp.eq.u32 %q1, %r5, -1;
        xor.pred %q1, %q1, %q0;
        selp.u32 %r0, 0, %r5, %q1;
        @%q0 and.b32 %r0, %r0, %r6;
        setp.ne.u32 %q2, %r6, 0;
        @!%q0 selp.u32 %r0, 0, %r0, %q2;
        """ + Instructions.store("u32", "%r0", 0, "%t4"));
    assertEquals(List.of(), Kernels.run(ptx, 32, Kernels.PLAIN, out).findings());
    return out;
  }
}
