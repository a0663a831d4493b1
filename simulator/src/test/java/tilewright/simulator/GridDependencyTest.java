package tilewright.simulator;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** {@code griddepcontrol} in a launch without prerequisites and dependents does nothing, and orders nothing. */
class GridDependencyTest {
  private static final int THREADS = 64;

  private static SimulationResult run(String between, long seed, int[] out) {
    var ptx = Kernels.kernel("sm_90", 1, "", """
        add.s64 %l0, %p0, %t4;
        xor.b32 %r1, %t, 32;
        mul.wide.u32 %l1, %r1, 4;
        add.s64 %l1, %p0, %l1;
        setp.eq.u32 %q0, %t, 5;
        @%q0 griddepcontrol.launch_dependents;
        griddepcontrol.wait;
        st.global.u32 [%l0], %t;
        """ + between + """
        ld.global.u32 %r2, [%l1];
        bar.sync 0;
        st.global.u32 [%l0], %r2;
        griddepcontrol.launch_dependents;
        griddepcontrol.launch_dependents;
        @%q0 griddepcontrol.wait;
        """);
    return Kernels.run(ptx, THREADS, Kernels.SANITIZED.withSeed(seed), out);
  }

  @Test
  void itPassesHoweverOftenAndWhoeverExecutesIt() {
    for (long seed = 0; seed < 20; seed++) {
      int[] out = new int[THREADS];
      assertEquals(List.of(), run("bar.sync 0;\n", seed, out).findings());
      assertArrayEquals(IntStream.range(0, THREADS).map(t -> t ^ 32).toArray(), out);
    }
  }

  @Test
  void itIsNoBarrierForTheThreadsOfTheGrid() {
    for (var waiting : List.of("griddepcontrol.wait;\n", "griddepcontrol.launch_dependents;\n")) {
      assertEquals(List.of(Finding.Kind.RACE), Kernels.kinds(run(waiting, 0, new int[THREADS])));
    }
  }
}
