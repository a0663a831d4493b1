package tilewright.simulator;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Arrays;
import java.util.List;
import java.util.function.IntFunction;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tilewright.ptx.Dim3;

/**
 * Instructions that the simulator executes in several steps give a warp the same result whether the warp has a block to
 * itself or shares it with others that execute the same instruction on other values, in any order.
 */
class StagedInstructionsTest {
  private static final int WARPS = 6;
  private static final int SEEDS = Integer.getInteger("tilewright.stagedSeeds", 4);
  private static final int ROUNDS = 3;
  private static final int REGION = 2048;

  private static String each(int count, IntFunction<String> line) {
    return IntStream.range(0, count).mapToObj(i -> "  " + line.apply(i) + ";\n").collect(Collectors.joining());
  }

  /** {@code %x[3]} names four registers from %x0 on, {@code %x[4:3]} three from %x4 on. */
  private static String expand(String instruction) {
    return Pattern.compile("%([a-z])\\[(?:(\\d+):)?(\\d+)]").matcher(instruction).replaceAll(m -> {
      int first = m.group(2) == null ? 0 : Integer.parseInt(m.group(2));
      return IntStream.range(first, first + Integer.parseInt(m.group(3))).mapToObj(i -> "%" + m.group(1) + i)
          .collect(Collectors.joining(",", "{", "}"));
    });
  }

  /**
   * A kernel whose warps execute an instruction on values of their own, after delays of their own, and keep a hash of
   * all that it leaves. Inputs are %x (b32), %f (f32), %d (f64), %q1 and 2048 bytes of shared memory at %sa; results
   * %y, %g, %e, %q2 and the same memory.
   */
  private static String ptx(String target, String instruction) {
    var hash = new StringBuilder();
    for (var r : IntStream.range(0, 8).boxed().toList()) {
      hash.append("  mad.lo.u32 %hash, %hash, 31, %y" + r + ";\n  mov.b32 %v, %g" + r + ";\n"
          + "  mad.lo.u32 %hash, %hash, 31, %v;\n");
    }
    hash.append(each(2, i -> "mov.b64 {%v, %w}, %e" + i + ";\n  mad.lo.u32 %hash, %hash, 31, %v;\n"
        + "  mad.lo.u32 %hash, %hash, 31, %w"));
    return """
        .version 8.8
        .target %s
        .address_size 64
        .visible .entry k(.param .u64 out)
        {
          .reg .b32 %%x<16>, %%y<16>, %%state, %%hash, %%id, %%warp, %%sa, %%own, %%row, %%i, %%j, %%v, %%w;
          .reg .f32 %%f<8>, %%g<8>;
          .reg .f64 %%d<8>, %%e<8>;
          .reg .b64 %%l<6>;
          .reg .pred %%q<8>;
          .shared .align 128 .b8 regions[%d];
          mov.u32 %%id, %%ctaid.x;
          mov.u32 %%i, %%ntid.x;
          mov.u32 %%j, %%tid.x;
          shr.u32 %%warp, %%j, 5;
          mad.lo.u32 %%id, %%id, %%i, %%j;
          mad.lo.u32 %%state, %%id, 0x9E3779B1, 12345;
          mov.u32 %%sa, regions;
          mad.lo.u32 %%sa, %%warp, %d, %%sa;
          and.b32 %%j, %%j, 31;
          mad.lo.u32 %%own, %%j, 4, %%sa;
          mad.lo.u32 %%row, %%j, 16, %%sa;
          mov.u32 %%hash, 0;
          mov.u32 %%i, 0;
          setp.ne.u32 %%q2, 0, 0;
        %s
        ROUND:
        %s
          and.b32 %%j, %%x0, 3;
        DELAY:
          setp.eq.u32 %%q0, %%j, 0;
          @%%q0 bra FILL;
          sub.u32 %%j, %%j, 1;
          bra DELAY;
        FILL:
        %s
          bar.sync 0;
          setp.lt.s32 %%q1, %%x3, 0;
          @%%q1 bra DETOUR;
          add.u32 %%hash, %%hash, 1;
        DETOUR:
          %s
          bar.warp.sync -1;
        %s
          bar.warp.sync -1;
        %s
          selp.u32 %%v, 1, 2, %%q2;
          mad.lo.u32 %%hash, %%hash, 31, %%v;
          add.u32 %%i, %%i, 1;
          setp.lt.u32 %%q0, %%i, %d;
          @%%q0 bra ROUND;
          ld.param.u64 %%l0, [out];
          mul.wide.u32 %%l1, %%id, 4;
          add.u64 %%l0, %%l0, %%l1;
          st.global.u32 [%%l0], %%hash;
          ret;
        }
        """.formatted(target, WARPS * REGION, REGION,
            each(16, i -> "mov.u32 %y" + i + ", 0")
                + each(8, i -> "mov.f32 %g" + i + ", 0f00000000;\n  mov.f64 %e" + i + ", 0d0000000000000000"),
            // The bits left stand for small numbers in every floating-point format.
            each(16, i -> "mad.lo.u32 %state, %state, 1664525, 1013904223;\n  and.b32 %x" + i + ", %state, 0xBBFFBBFF")
                + each(8, i -> "mov.b32 %f" + i + ", %x" + (i + 4) + ";\n  mov.b64 %d" + i + ", {%x" + i + ", %x"
                + (i + 8) + "}"),
            each(REGION / 128, i -> "st.shared.b32 [%own+" + 128 * i + "], %x" + i),
            expand(instruction),
            each(REGION / 128, i -> "ld.shared.b32 %v, [%own+" + 128 * i + "];\n  mad.lo.u32 %hash, %hash, 31, %v"),
            hash, ROUNDS);
  }

  private static int[] run(Program program, String ptx, int blocks, int seed) {
    var out = new int[32 * WARPS];
    Arrays.fill(out, 0xBAD);
    var launch = Kernels.launch(ptx, Dim3.of(blocks), Dim3.of(32 * WARPS / blocks), 0, out);
    var findings = program.run(launch, Kernels.PLAIN.withThreads(1).withSeed(seed)).findings();
    assertEquals(List.of(), findings, "seed " + seed);
    return out;
  }

  @ParameterizedTest
  @ValueSource(strings = {
      "sm_80 shfl.sync.bfly.b32 %y0, %x1, 5, 31, -1;",
      "sm_80 shfl.sync.idx.b32 %y0|%q2, %x1, %x2, 0x1807, -1;",
      "sm_80 vote.sync.ballot.b32 %y0, %q1, -1;",
      "sm_80 vote.sync.any.pred %q2, %q1, -1;",
      "sm_80 match.any.sync.b32 %y0, %x1, -1;",
      "sm_80 mov.b64 %l0, {%x0, %x1};\n match.all.sync.b64 %y0|%q2, %l0, -1;",
      "sm_80 redux.sync.xor.b32 %y0, %x1, -1;",
      "sm_100a redux.sync.max.abs.f32 %g0, %f1, -1;",
      "sm_90 elect.sync %y0|%q2, -1;",
      "sm_80 add.u32 %w, %warp, 1;\n barrier.red.popc.u32 %y0, %w, 32, %q1;",
      "sm_80 add.u32 %w, %warp, 1;\n barrier.red.or.pred %q2, %w, 32, %q1;",
      "sm_80 ldmatrix.sync.aligned.m8n8.x4.shared.b16 %y[4], [%row];",
      "sm_80 ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16 %y[2], [%row];",
      "sm_100a ldmatrix.sync.aligned.m8n16.x2.shared.b8x16.b6x16_p32 %y[2], [%row];",
      "sm_90 stmatrix.sync.aligned.m8n8.x4.shared.b16 [%row], %x[4];",
      "sm_90 stmatrix.sync.aligned.m8n8.x1.trans.shared.b16 [%row], %x[1];",
      "sm_80 movmatrix.sync.aligned.m8n8.trans.b16 %y0, %x1;",
      "sm_80 st.shared.v4.b32 [%row], %x[4];",
      "sm_80 atom.shared.add.u32 %y0, [%sa], %x1;\n mov.u32 %y0, 0;",
      "sm_80 mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 %g[4], %x[4], %x[4:2], %f[4];",
      "sm_80 mma.sync.aligned.m16n8k8.row.col.f32.bf16.bf16.f32 %g[4], %x[2], %x[4:1], %f[4];",
      "sm_80 mma.sync.aligned.m16n8k16.row.col.f16.f16.f16.f16 %y[2], %x[4], %x[4:2], %x[6:2];",
      "sm_80 mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 %g[4], %x[4], %x[4:2], %f[4];",
      "sm_80 mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 %e[2], %d[1], %d[1:1], %d[2:2];",
      "sm_80 mma.sync.aligned.m16n8k32.row.col.s32.s8.u8.s32 %y[4], %x[4], %x[4:2], %x[8:4];",
      "sm_80 mma.sync.aligned.m16n8k64.row.col.satfinite.s32.u4.s4.s32 %y[4], %x[4], %x[4:2], %x[8:4];",
      "sm_80 mma.sync.aligned.m16n8k256.row.col.s32.b1.b1.s32.and.popc %y[4], %x[4], %x[4:2], %x[8:4];",
      "sm_89 mma.sync.aligned.m16n8k32.row.col.f32.e4m3.e5m2.f32 %g[4], %x[4], %x[4:2], %f[4];",
      "sm_80 mma.sp.sync.aligned.m16n8k32.row.col.f32.f16.f16.f32 %g[4], %x[4], %x[4:4], %f[4], 0x44EE44EE, 0;",
      "sm_80 mma.sp.sync.aligned.m16n8k64.row.col.s32.s8.s8.s32 %y[4], %x[4], %x[4:4], %x[8:4], 0x44EE44EE, 0;",
      "sm_120a mma.sync.aligned.kind::f8f6f4.m16n8k32.row.col.f32.e3m2.e2m1.f32 %g[4], %x[4], %x[4:2], %f[4];",
      "sm_120a mma.sync.aligned.kind::mxf8f6f4.block_scale.scale_vec::1X.m16n8k32.row.col.f32.e4m3.e4m3.f32.ue8m0"
          + " %g[4], %x[4], %x[4:2], %f[4], %x[8:1], {0, 0}, %x[9:1], {0, 0};",
      "sm_120a mma.sync.aligned.kind::mxf4nvf4.block_scale.scale_vec::4X.m16n8k64.row.col.f32.e2m1.e2m1.f32.ue4m3"
          + " %g[4], %x[4], %x[4:2], %f[4], %x[8:1], {0, 0}, %x[9:1], {0, 0};",
      "sm_80 mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 %g[4], %x[4], %x[4:2], %f[4];\n"
          + "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 %g[4:4], %x[4], %x[6:2], %f[4:4];",
      "sm_80 mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 %g[4], %x[4], %x[8:2], %f[4];\n"
          + "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 %g[4:4], %x[4:4], %x[8:2], %f[4:4];",
      "sm_80 wmma.load.a.sync.aligned.row.m16n16k16.shared.f16 %y[8], [%sa];",
      "sm_80 wmma.load.b.sync.aligned.row.m16n16k8.shared.tf32 %y[4], [%sa];",
      "sm_80 wmma.load.c.sync.aligned.col.m16n16k16.shared.f32 %g[8], [%sa];",
      "sm_80 wmma.load.a.sync.aligned.row.m8n8k4.shared.f64 %e[1], [%sa];",
      "sm_80 wmma.load.b.sync.aligned.col.m8n32k16.shared.s8 %y[4], [%sa];",
      "sm_80 wmma.mma.sync.aligned.row.col.m16n16k16.f32.f32 %g[8], %x[8], %x[8:8], %f[8];",
      "sm_80 wmma.mma.sync.aligned.row.col.m16n16k8.f32.tf32.tf32.f32 %g[8], %x[4], %x[4:4], %f[8];",
      "sm_80 wmma.mma.sync.aligned.row.col.m8n8k4.rn.f64.f64.f64.f64 %e[2], %d[1], %d[1:1], %d[2:2];",
      "sm_80 wmma.mma.sync.aligned.row.col.m16n16k16.s32.s8.s8.s32 %y[8], %x[2], %x[2:2], %x[4:8];",
      "sm_80 wmma.mma.xor.popc.sync.aligned.row.col.m8n8k128.s32.b1.b1.s32 %y[2], %x[1], %x[1:1], %x[2:2];",
      "sm_80 wmma.store.d.sync.aligned.row.m16n16k16.shared.f32 [%sa], %f[8];",
      "sm_80 wmma.store.d.sync.aligned.col.m16n16k16.shared.f16 [%sa], %x[4];",
      "sm_80 wmma.store.d.sync.aligned.row.m8n8k4.shared.f64 [%sa], %d[2];",
      "sm_80 wmma.store.d.sync.aligned.col.m32n8k16.shared.s32 [%sa], %x[8];"})
  void warpsDoNotMeetInTheMachine(String targetAndInstruction) {
    var parts = targetAndInstruction.split(" ", 2);
    var ptx = ptx(parts[0], parts[1]);
    var program = Simulator.load(ptx);
    var alone = run(program, ptx, WARPS, 0);
    assertTrue(Arrays.stream(alone).distinct().count() > WARPS / 2, "the values hardly differ");
    for (int seed = 0; seed < SEEDS; seed++) assertArrayEquals(alone, run(program, ptx, 1, seed), "seed " + seed);
  }
}
