package tilewright.simulator;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import tilewright.ptx.Dim3;
import tilewright.ptx.LaunchFeature;

/** Blocks that wait for all others. */
class CooperativeLaunchTest {
  private static final int BLOCKS = 200;

  /** Each block announces itself, and writes what it counts once all have. */
  private static final String MEETING = Kernels.kernel(2, """
      atom.add.acq_rel.gpu.global.u32 %r1, [%p0], 1;
      wait:
      ld.acquire.gpu.global.u32 %r2, [%p0];
      setp.lt.u32 %q0, %r2, 200;
      @%q0 bra wait;
      mov.u32 %r3, %ctaid.x;
      mul.wide.u32 %l1, %r3, 4;
      add.u64 %l1, %l1, %p1;
      st.global.u32 [%l1], %r2;
      """);

  private static SimulationResult meet(int[] seen, LaunchFeature... features) {
    var launch = Kernels.launch(MEETING, Dim3.of(BLOCKS), Dim3.of(1), 0, new int[1], seen).with(features);
    return Simulator.load(MEETING).run(launch, Kernels.PLAIN.withThreads(1).withInstructionLimit(100_000_000));
  }

  @Test
  void allBlocksOfACooperativeLaunchMeet() {
    var seen = new int[BLOCKS];
    assertEquals(List.of(), meet(seen, LaunchFeature.COOPERATIVE).findings());
    var all = new int[BLOCKS];
    Arrays.fill(all, BLOCKS);
    assertArrayEquals(all, seen);
  }

  @Test
  void blocksOfAnotherLaunchNeedNotBeThereTogether() {
    assertEquals(List.of(Finding.Kind.INSTRUCTION_LIMIT), Kernels.kinds(meet(new int[BLOCKS])));
  }
}
