package tilewright.simulator;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;
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

  /**
   * CUDA's {@code grid_group::sync}, twice: the first thread of each block counts in the grid's workspace, whose
   * address is in {@code %envreg1} and {@code %envreg2}. Each thread then reads what the next block's has written.
   */
  private static final String GRID_SYNC = """
      .version 8.0
      .target %s
      .address_size 64
      .visible .entry k(.param .u64 values, .param .u64 out)
      {
        .reg .b64 %%w, %%v, %%o, %%a;
        .reg .b32 %%hi, %%lo, %%n, %%b, %%t, %%i, %%add, %%old, %%now, %%x;
        .reg .pred %%p, %%first, %%master;
        mov.u32 %%hi, %%envreg1;
        mov.u32 %%lo, %%envreg2;
        mov.b64 %%w, {%%lo, %%hi};
        setp.ne.s64 %%p, %%w, 0;
        @%%p bra THERE;
        trap;
      THERE:
        ld.param.u64 %%v, [values];
        ld.param.u64 %%o, [out];
        mov.u32 %%n, %%nctaid.x;
        mov.u32 %%b, %%ctaid.x;
        mov.u32 %%t, %%tid.x;
        setp.eq.u32 %%first, %%t, 0;
        setp.eq.u32 %%master, %%b, 0;
        sub.u32 %%add, 0x80000001, %%n;
        selp.b32 %%add, %%add, 1, %%master;
        mov.u32 %%i, %%ntid.x;
        mad.lo.u32 %%i, %%b, %%i, %%t;
        mul.wide.u32 %%a, %%i, 4;
        add.u64 %%a, %%v, %%a;
        st.global.u32 [%%a], %%i;
        SYNC
        add.u32 %%x, %%b, 1;
        rem.u32 %%x, %%x, %%n;
        mov.u32 %%now, %%ntid.x;
        mad.lo.u32 %%x, %%x, %%now, %%t;
        mul.wide.u32 %%a, %%x, 4;
        add.u64 %%a, %%v, %%a;
        ld.global.u32 %%x, [%%a];
        SYNC
        st.global.u32 [%%a], -1;
        mul.wide.u32 %%a, %%i, 4;
        add.u64 %%a, %%o, %%a;
        st.global.u32 [%%a], %%x;
        ret;
      }
      """;
  private static final String SYNC = """
      { barrier.sync 0;
        @!%first bra MET;
        atom.add.release.gpu.u32 %old, [%w+4], %add;
      WAIT:
        ld.acquire.gpu.u32 %now, [%w+4];
        xor.b32 %now, %now, %old;
        setp.gt.s32 %p, %now, -1;
        @%p bra WAIT;
      MET:
        barrier.sync 0; }
      """;

  private static SimulationResult sync(String target, String sync, int blocks, int[] out, LaunchFeature... features) {
    var ptx = GRID_SYNC.formatted(target).replace("SYNC\n", sync);
    var launch = Kernels.launch(ptx, Dim3.of(blocks), Dim3.of(64), 0, new int[out.length], out).with(features);
    return Simulator.load(ptx).run(launch, Kernels.SANITIZED.withInstructionLimit(100_000_000));
  }

  @Test
  void theGridWorkspaceLetsCudasGridGroupsMeet() {
    for (var target : List.of("sm_80", "sm_90")) {
      for (int blocks : new int[] {1, 2, 7, 33}) {
        int[] out = new int[blocks * 64];
        int all = out.length;
        assertEquals(List.of(), sync(target, SYNC, blocks, out, LaunchFeature.COOPERATIVE).findings());
        assertArrayEquals(IntStream.range(0, all).map(i -> (i + 64) % all).toArray(), out);
      }
    }
  }

  @Test
  void aGridGroupThatDoesNotAcquireIsARace() {
    var weak = SYNC.replace("ld.acquire.gpu", "ld.relaxed.gpu");
    assertEquals(List.of(Finding.Kind.RACE),
        Kernels.kinds(sync("sm_80", weak, 4, new int[4 * 64], LaunchFeature.COOPERATIVE)));
  }

  @Test
  void anotherLaunchHasNoGridWorkspace() {
    assertEquals(List.of(Finding.Kind.TRAP), Kernels.kinds(sync("sm_80", SYNC, 4, new int[4 * 64])));
  }

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
