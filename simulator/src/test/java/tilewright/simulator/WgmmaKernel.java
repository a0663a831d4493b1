package tilewright.simulator;

import java.util.stream.Collectors;
import java.util.stream.IntStream;
import tilewright.ptx.Dim3;

/**
 * A kernel of one warpgroup that fills shared memory with an image and executes one {@code wgmma} on it.
 *
 * @param instruction with modifiers up to the types
 * @param registers of D a thread
 * @param fromRegisters whether A is in registers
 * @param sparse the selector; negative for a dense A
 * @param immediates after scale-d, such as {@code 1, 1, 0, 0}
 */
record WgmmaKernel(String instruction, int registers, boolean fromRegisters, int sparse, String immediates) {
  static final int THREADS = 128;

  /** Matrices as raw bits; descriptors are bits of the ISA's format. */
  record Inputs(byte[] shared, long descriptorA, long descriptorB, int[] a, int[] metadata, int[] c,
      boolean accumulate) {}

  private boolean singles() {
    return instruction.contains(".f32.");
  }

  private static String list(String prefix, int count) {
    return IntStream.range(0, count).mapToObj(i -> prefix + i).collect(Collectors.joining(",", "{", "}"));
  }

  private String operation() {
    return "wgmma.mma_async." + (sparse >= 0 ? "sp." : "") + "sync.aligned." + instruction + " "
        + list(singles() ? "%x" : "%y", registers) + ", " + (fromRegisters ? list("%a", 4) : "%da") + ", %db, "
        + (sparse >= 0 ? "%meta, " + sparse + ", " : "") + "%scale" + (immediates.isEmpty() ? "" : ", " + immediates)
        + ";\n";
  }

  /** @param between instructions between the start and the wait */
  String ptx(int sharedBytes, String between) {
    var moves = new StringBuilder();
    var stores = new StringBuilder();
    for (int r = 0; r < registers; r++) {
      var register = (singles() ? "%x" : "%y") + r;
      var type = singles() ? "f32" : "b32";
      moves.append("  ld.global." + type + " " + register + ", [%own+" + 4 * r + "];\n");
      stores.append("  st.global." + type + " [%own+" + 4 * r + "], " + register + ";\n");
    }
    return """
        .version 8.8
        .target sm_90a
        .address_size 64
        .visible .entry k(.param .u64 image, .param .u64 operands, .param .u64 fragments, .param .u64 sums)
        {
          .reg .b64 %%own, %%from, %%da, %%db, %%l<4>;
          .reg .b32 %%t, %%i, %%v, %%meta, %%to, %%s;
          .reg .b32 %%a<4>;
          .reg .b32 %%y<128>;
          .reg .f32 %%x<128>;
          .reg .pred %%scale, %%more;
          .shared .align 1024 .b8 tile[%d];
          mov.u32 %%t, %%tid.x;
          ld.param.u64 %%from, [image];
          mov.u32 %%to, tile;
          shl.b32 %%i, %%t, 2;
        fill:
          cvt.u64.u32 %%l0, %%i;
          add.s64 %%l0, %%l0, %%from;
          ld.global.b32 %%v, [%%l0];
          add.u32 %%s, %%to, %%i;
          st.shared.b32 [%%s], %%v;
          add.u32 %%i, %%i, 512;
          setp.lt.u32 %%more, %%i, %d;
          @%%more bra fill;
          fence.proxy.async;
          bar.sync 0;
          ld.param.u64 %%l1, [operands];
          ld.global.b64 %%da, [%%l1];
          ld.global.b64 %%db, [%%l1+8];
          ld.global.b32 %%v, [%%l1+16];
          setp.ne.s32 %%scale, %%v, 0;
          ld.param.u64 %%l2, [fragments];
          mul.wide.u32 %%l3, %%t, 20;
          add.s64 %%l2, %%l2, %%l3;
          ld.global.b32 %%a0, [%%l2];
          ld.global.b32 %%a1, [%%l2+4];
          ld.global.b32 %%a2, [%%l2+8];
          ld.global.b32 %%a3, [%%l2+12];
          ld.global.b32 %%meta, [%%l2+16];
          ld.param.u64 %%own, [sums];
          mul.wide.u32 %%l3, %%t, %d;
          add.s64 %%own, %%own, %%l3;
        %s
          wgmma.fence.sync.aligned;
          %s
          wgmma.commit_group.sync.aligned;
        %s
          wgmma.wait_group.sync.aligned 0;
        %s
          ret;
        }
        """.formatted(sharedBytes, sharedBytes, 4 * registers, moves, operation(), between, stores);
  }

  /** D by thread and register. */
  int[] run(Inputs in, SimulatorOptions options) {
    int[] sums = in.c.clone();
    var result = result(ptx(in.shared.length, ""), in, sums, options);
    if (!result.findings().isEmpty()) throw new AssertionError(result.findings().toString());
    return sums;
  }

  SimulationResult result(String ptx, Inputs in, int[] sums, SimulatorOptions options) {
    int[] fragments = new int[5 * THREADS];
    for (int t = 0; t < THREADS; t++) {
      if (fromRegisters) System.arraycopy(in.a, 4 * t, fragments, 5 * t, 4);
      if (sparse >= 0) fragments[5 * t + 4] = in.metadata[t];
    }
    long[] operands = {in.descriptorA, in.descriptorB, in.accumulate ? 1 : 0};
    return Kernels.run(ptx, Dim3.ONE, Dim3.of(THREADS), 0, options, in.shared, operands, fragments, sums);
  }
}
