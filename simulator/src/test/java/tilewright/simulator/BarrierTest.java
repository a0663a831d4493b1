package tilewright.simulator;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** CTA barriers: what they order, and what is said when they cannot complete. */
class BarrierTest {
  private static final String NEIGHBOUR = """
      .shared .align 4 .b8 tile[1024];
      mov.u32 %r10, tile;
      mad.lo.u32 %r11, %t, 4, %r10;
      st.shared.u32 [%r11], %t;
      BARRIER
      sub.u32 %r12, 255, %t;
      mad.lo.u32 %r13, %r12, 4, %r10;
      ld.shared.u32 %r0, [%r13];
      """ + Instructions.store("u32", "%r0", 0, "%t4");

  private static SimulationResult exchange(String barrier, int[] out, long seed) {
    return Kernels.run(Kernels.kernel(1, NEIGHBOUR.replace("BARRIER", barrier)), 256, Kernels.SANITIZED.withSeed(seed),
        out);
  }

  @ParameterizedTest
  @CsvSource(delimiter = '|',
      value = {"bar.sync 0;", "barrier.sync 3;", "barrier.sync.aligned 15, 256;", "bar.cta.sync 1, 256;",
      "mov.u32 %r1, 5; mov.u32 %r2, 256; bar.sync %r1, %r2;"})
  void everyFormOfTheBarrierOrdersTheWarps(String barrier) {
    for (long seed = 0; seed < 5; seed++) {
      int[] out = new int[256];
      assertEquals(List.of(), exchange(barrier, out, seed).findings());
      assertArrayEquals(IntStream.range(0, 256).map(t -> 255 - t).toArray(), out);
    }
  }

  @Test
  void producersArriveAndConsumersWait() {
    // Warps 0-3 fill, warps 4-7 read, and then the other way round on a second barrier.
    var ptx = Kernels.kernel(1, """
        .shared .align 4 .b8 tile[1024];
        mov.u32 %r10, tile;
        and.b32 %r1, %t, 127;
        mad.lo.u32 %r11, %r1, 4, %r10;
        setp.ge.u32 %q0, %t, 128;
        @%q0 bra CONSUMER;
        st.shared.u32 [%r11], %t;
        bar.arrive 1, 256;
        bar.sync 2, 256;
        ld.shared.u32 %r0, [%r11];
        bra JOIN;
        CONSUMER: bar.sync 1, 256;
        xor.b32 %r2, %r1, 64;
        mad.lo.u32 %r3, %r2, 4, %r10;
        ld.shared.u32 %r0, [%r3];
        bar.sync 3, 128;
        add.u32 %r4, %r0, 1000;
        st.shared.u32 [%r3], %r4;
        bar.arrive 2, 256;
        JOIN:
        """ + Instructions.store("u32", "%r0", 0, "%t4"));
    for (long seed = 0; seed < 5; seed++) {
      int[] out = new int[256];
      assertEquals(List.of(), Kernels.run(ptx, 256, Kernels.SANITIZED.withSeed(seed), out).findings());
      assertArrayEquals(IntStream.range(0, 256).map(t -> t < 128 ? t + 1000 : t - 128 ^ 64).toArray(), out);
    }
  }

  @Test
  void divergedLanesOfAWarpMeetAtTheBarrier() {
    int[] out = new int[256];
    assertEquals(List.of(), exchange("""
        mov.u32 %r1, %t;
        LOOP: setp.lt.u32 %q0, %r1, 3;
        @%q0 bra DONE;
        sub.u32 %r1, %r1, 3;
        bra LOOP;
        DONE: bar.sync 0;
        """, out, 0).findings());
    assertEquals(255, out[0]);
  }

  @Test
  void threadsThatHaveExitedAreNotWaitedFor() {
    int[] out = new int[256];
    var ptx = Kernels.kernel(1, """
        setp.ge.u32 %q0, %t, 40;
        @%q0 exit;
        bar.sync 0;
        mov.u32 %r0, 1;
        """ + Instructions.store("u32", "%r0", 0, "%t4"));
    assertEquals(List.of(), Kernels.run(ptx, 256, Kernels.SANITIZED, out).findings());
    assertEquals(40, IntStream.of(out).sum());
  }

  @Test
  void aBarrierThatSomeWarpsSkipIsADeadlockWithAllWaitersNamed() {
    var ptx = Kernels.kernel(0, """
        setp.ge.u32 %q0, %t, 64;
        @%q0 bra OTHER;
        bar.sync 1, 128;
        bra END;
        OTHER: bar.sync 2, 128;
        END:
        """);
    var result = Kernels.run(ptx, 128, Kernels.PLAIN);
    assertEquals(List.of(Finding.Kind.DEADLOCK), Kernels.kinds(result));
    var message = result.findings().getFirst().message();
    var lines = ptx.lines().map(String::strip).toList();
    int first = lines.indexOf("bar.sync 1, 128;") + 1;
    int second = lines.indexOf("OTHER: bar.sync 2, 128;") + 1;
    assertTrue(message.contains("warps 0-1 wait at line " + first), message);
    assertTrue(message.contains("warps 2-3 wait at line " + second), message);
    assertTrue(message.contains("barrier 1 expects 128, arrived: warps 0-1, missing: 64 threads"), message);
    assertEquals(first, result.findings().getFirst().line());
  }

  @Test
  void lanesOfOneWarpAtDifferentBarriersAreBarrierDivergence() {
    var result = Kernels.run(Kernels.kernel(0, """
        setp.ge.u32 %q0, %t, 7;
        @%q0 bra OTHER;
        bar.sync 0;
        bra END;
        OTHER: bar.sync 0;
        END:
        """), 64, Kernels.PLAIN);
    assertEquals(List.of(Finding.Kind.BARRIER_DIVERGENCE), Kernels.kinds(result));
    assertTrue(result.findings().getFirst().message().contains("warp 0 lanes 0-6 waits"), result.findings().toString());
  }

  @ParameterizedTest
  @CsvSource(delimiter = '|', value = {"bar.sync 16;|names barrier 16", "bar.sync 1, 40;|no multiple of 32",
      "bar.arrive 1, 256; bar.arrive 1, 256;|arrives twice"})
  void impossibleBarriersAreReported(String barrier, String text) {
    var result = Kernels.run(Kernels.kernel(0, barrier), 64, Kernels.PLAIN);
    assertEquals(List.of(Finding.Kind.INVALID_OPERATION), Kernels.kinds(result));
    assertTrue(result.findings().getFirst().message().contains(text), result.findings().toString());
  }

  @Test
  void participantsMustAgreeOnTheCount() {
    var result = Kernels.run(Kernels.kernel(0, """
        setp.ge.u32 %q0, %t, 32;
        selp.u32 %r0, 96, 64, %q0;
        bar.sync 1, %r0;
        """), 64, Kernels.PLAIN);
    assertEquals(List.of(Finding.Kind.INVALID_OPERATION), Kernels.kinds(result));
  }

  @Test
  void aTrapStopsTheLaunch() {
    var result = Kernels.run(Kernels.kernel(0, "setp.eq.u32 %q0, %t, 3;\n@%q0 trap;\n"), 64, Kernels.PLAIN);
    assertEquals(List.of(Finding.Kind.TRAP), Kernels.kinds(result));
    assertEquals(3, result.findings().getFirst().thread().x());
  }
}
