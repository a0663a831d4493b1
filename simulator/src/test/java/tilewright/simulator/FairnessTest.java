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

  @ParameterizedTest
  @ValueSource(longs = {0, 1, 2, 3, 4, 5, 6, 7})
  void aWaiterGoesOnWhenItsPhaseIsOverEvenIfTheNextOneIsToo(long seed) {
    int[] out = new int[1];
    var kernel = Kernels.kernel(1, MissedPhases.afterIdling(500));
    assertEquals(List.of(), Kernels.run(kernel, 64, Kernels.PLAIN.withSeed(seed), out).findings());
    assertEquals(7, out[0]);
  }

  @Test
  void noWarpMissesTwoPhasesOfCopies() {
    for (long seed = 0; seed < 300; seed++) {
      var kernel = Kernels.kernel("sm_90", 1, "", MissedPhases.ofCopies(16));
      assertEquals(List.of(), Kernels.run(kernel, 256, Kernels.PLAIN.withSeed(seed), new int[4]).findings(),
          "seed " + seed);
    }
  }
}
