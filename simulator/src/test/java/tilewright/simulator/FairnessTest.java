package tilewright.simulator;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The order in which warps run is any, but none is left far behind. */
class FairnessTest {
  private static final int WARPS = 8;
  private static final int STEPS = 100;

  /** Every warp takes tickets; what it gets tells when it ran. */
  private static final String TICKETS = """
      mov.u32 %r1, 0;
      mov.u32 %r2, %tid.x;
      shr.u32 %r2, %r2, 5;
      again:
      atom.global.add.u32 %r3, [%p0], 1;
      mul.wide.u32 %l1, %r3, 4;
      add.u64 %l1, %l1, %p0;
      st.global.u32 [%l1+4], %r2;
      add.u32 %r1, %r1, 1;
      setp.lt.u32 %q0, %r1, 100;
      @%q0 bra again;
      """;

  @ParameterizedTest
  @ValueSource(longs = {0, 1, 2, 3})
  void betweenTwoTurnsOfAWarpNoOtherHasMoreThanTwo(long seed) {
    int threads = 32 * WARPS;
    int[] out = new int[1 + threads * STEPS];
    assertEquals(List.of(), Kernels.run(Kernels.kernel(1, TICKETS), threads, Kernels.PLAIN.withSeed(seed), out)
        .findings());
    var turns = new ArrayList<Integer>();
    for (int i = 1; i < out.length; i++) if (turns.isEmpty() || turns.getLast() != out[i]) turns.add(out[i]);
    var last = new HashMap<Integer, Integer>();
    for (int i = 0; i < turns.size(); i++) {
      Integer before = last.put(turns.get(i), i);
      if (before == null) continue;
      var between = new HashMap<Integer, Integer>();
      for (int w : turns.subList(before + 1, i)) between.merge(w, 1, Integer::sum);
      assertTrue(between.values().stream().allMatch(n -> n <= 2), "turns " + turns.subList(before, i + 1));
    }
  }

  /** Warp 0 lets the other wait for long, and then completes two phases at once. */
  private static final String TWO_PHASES = """
      .shared .align 8 .b64 bar;
      mov.u32 %r0, %tid.x;
      setp.ne.u32 %q0, %r0, 0;
      @%q0 bra ready;
      mbarrier.init.shared.b64 [bar], 1;
      ready:
      bar.sync 0;
      setp.lt.u32 %q1, %r0, 32;
      @%q1 bra first;
      wait:
      mbarrier.try_wait.parity.shared.b64 %q2, [bar], 0;
      @!%q2 bra wait;
      st.global.u32 [%p0], 7;
      ret;
      first:
      mov.u32 %r1, 0;
      idle:
      add.u32 %r1, %r1, 1;
      setp.lt.u32 %q3, %r1, 500;
      @%q3 bra idle;
      @%q0 ret;
      mbarrier.arrive.shared.b64 %l1, [bar];
      mbarrier.arrive.shared.b64 %l2, [bar];
      """;

  @ParameterizedTest
  @ValueSource(longs = {0, 1, 2, 3, 4, 5, 6, 7})
  void aWaiterGoesOnWhenItsPhaseIsOverEvenIfTheNextOneIsToo(long seed) {
    int[] out = new int[1];
    assertEquals(List.of(), Kernels.run(Kernels.kernel(1, TWO_PHASES), 64, Kernels.PLAIN.withSeed(seed), out)
        .findings());
    assertEquals(7, out[0]);
  }

  /** Thread 0 copies sixteen times; all await each copy by parity, and nothing else holds warp 0 back. */
  private static final String COPIES = """
      .shared .align 16 .b8 target[16];
      .shared .align 8 .b64 bar;
      mov.u32 %r0, %tid.x;
      mov.u32 %r1, 0;
      mov.u32 %r2, target;
      setp.ne.u32 %q0, %r0, 0;
      @%q0 bra ready;
      mbarrier.init.shared.b64 [bar], 1;
      fence.proxy.async;
      ready:
      bar.sync 0;
      copy:
      @%q0 bra wait;
      mbarrier.arrive.expect_tx.shared.b64 %l1, [bar], 16;
      cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r2], [%p0], 16, [bar];
      wait:
      and.b32 %r3, %r1, 1;
      again:
      mbarrier.try_wait.parity.shared.b64 %q2, [bar], %r3;
      @!%q2 bra again;
      add.u32 %r1, %r1, 1;
      setp.lt.u32 %q1, %r1, 16;
      @%q1 bra copy;
      """;

  @Test
  void noWarpMissesTwoPhasesOfCopies() {
    for (long seed = 0; seed < 300; seed++) {
      var kernel = Kernels.kernel("sm_90", 1, "", COPIES);
      assertEquals(List.of(), Kernels.run(kernel, 256, Kernels.PLAIN.withSeed(seed), new int[4]).findings(),
          "seed " + seed);
    }
  }
}
