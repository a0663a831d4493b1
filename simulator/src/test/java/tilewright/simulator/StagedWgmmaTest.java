package tilewright.simulator;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tilewright.ptx.Dim3;

/** {@code wgmma} gives a warpgroup the same in a block of its own and beside others that multiply other values. */
class StagedWgmmaTest {
  private static final int GROUPS = 3;
  private static final int SEEDS = Integer.getInteger("tilewright.stagedSeeds", 6);

  private static String ptx(String instruction) {
    return """
        .version 8.8
        .target sm_90a
        .address_size 64
        .visible .entry k(.param .u64 out)
        {
          .reg .b32 %%id, %%group, %%state, %%to, %%i, %%v, %%bar, %%a<4>, %%y<4>;
          .reg .f32 %%x<4>;
          .reg .b64 %%da, %%db, %%l<2>;
          .reg .pred %%q, %%true;
          .shared .align 1024 .b8 operands[%d];
          mov.u32 %%v, %%tid.x;
          mov.u32 %%id, %%ctaid.x;
          mov.u32 %%i, %%ntid.x;
          mad.lo.u32 %%id, %%id, %%i, %%v;
          shr.u32 %%group, %%v, 7;
          and.b32 %%v, %%v, 127;
          mov.u32 %%to, operands;
          mad.lo.u32 %%to, %%group, 4096, %%to;
          shr.u32 %%i, %%to, 4;
          cvt.u64.u32 %%da, %%i;
          or.b64 %%da, %%da, 0x0000001000080000;
          add.u64 %%db, %%da, 128;
          mad.lo.u32 %%to, %%v, 4, %%to;
          mad.lo.u32 %%state, %%id, 747796405, 1;
          mov.u32 %%i, 0;
        FILL:
          mad.lo.u32 %%state, %%state, 1664525, 1013904223;
          and.b32 %%v, %%state, 0xBBFFBBFF;
          st.shared.b32 [%%to], %%v;
          add.u32 %%to, %%to, 512;
          add.u32 %%i, %%i, 1;
          setp.lt.u32 %%q, %%i, 8;
          @%%q bra FILL;
          and.b32 %%a0, %%state, 0x3BFF3BFF;
          xor.b32 %%a1, %%a0, 0x01230123;
          xor.b32 %%a2, %%a0, 0x03210321;
          xor.b32 %%a3, %%a0, 0x00770077;
          mov.b32 %%x0, %%a0;
          mov.b32 %%x1, %%a1;
          mov.b32 %%x2, %%a2;
          mov.b32 %%x3, %%a3;
          mov.b32 %%y0, %%a3;
          mov.b32 %%y1, %%a2;
          fence.proxy.async;
          add.u32 %%bar, %%group, 1;
          barrier.sync %%bar, 128;
          setp.eq.u32 %%true, 0, 0;
          wgmma.fence.sync.aligned;
          wgmma.mma_async.sync.aligned.%s;
          wgmma.commit_group.sync.aligned;
          wgmma.wait_group.sync.aligned 0;
          mov.b32 %%v, %%x0;
          mad.lo.u32 %%state, %%state, 31, %%v;
          mov.b32 %%v, %%x1;
          mad.lo.u32 %%state, %%state, 31, %%v;
          mov.b32 %%v, %%x2;
          mad.lo.u32 %%state, %%state, 31, %%v;
          mov.b32 %%v, %%x3;
          mad.lo.u32 %%state, %%state, 31, %%v;
          mad.lo.u32 %%state, %%state, 31, %%y0;
          mad.lo.u32 %%state, %%state, 31, %%y1;
          ld.param.u64 %%l0, [out];
          mul.wide.u32 %%l1, %%id, 4;
          add.u64 %%l0, %%l0, %%l1;
          st.global.u32 [%%l0], %%state;
          ret;
        }
        """.formatted(GROUPS * 4096, instruction);
  }

  private static int[] run(Program program, String ptx, int blocks, int seed) {
    var out = new int[128 * GROUPS];
    Arrays.fill(out, 0xBAD);
    var launch = Kernels.launch(ptx, Dim3.of(blocks), Dim3.of(128 * GROUPS / blocks), 0, out);
    assertEquals(List.of(), program.run(launch, Kernels.PLAIN.withThreads(1).withSeed(seed)).findings());
    return out;
  }

  @ParameterizedTest
  @ValueSource(strings = {
      "m64n8k16.f32.f16.f16 {%x0,%x1,%x2,%x3}, %da, %db, %true, 1, 1, 0, 0",
      "m64n8k16.f32.bf16.bf16 {%x0,%x1,%x2,%x3}, {%a0,%a1,%a2,%a3}, %db, %true, 1, -1, 0",
      "m64n8k16.f16.f16.f16 {%y0,%y1}, {%a0,%a1,%a2,%a3}, %db, %true, 1, 1, 0",
      "m64n8k32.f32.e4m3.e4m3 {%x0,%x1,%x2,%x3}, %da, %db, %true, 1, 1"})
  void warpgroupsDoNotMeetInTheMachine(String instruction) {
    var ptx = ptx(instruction);
    var program = Simulator.load(ptx);
    var alone = run(program, ptx, GROUPS, 0);
    assertTrue(Arrays.stream(alone).distinct().count() > 300, "the values hardly differ");
    for (int seed = 0; seed < SEEDS; seed++) assertArrayEquals(alone, run(program, ptx, 1, seed), "seed " + seed);
  }
}
