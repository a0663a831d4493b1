package tilewright.simulator.blackwell;

import tilewright.simulator.SimulationResult;
import tilewright.simulator.SimulatorOptions;

/**
 * Runs {@code tcgen05} instructions of one thread between given contents of shared and Tensor Memory, which stay as
 * they have become: one CTA, or a pair whose even one issues.
 */
final class TensorMachine {
  static final int LANES = 128;
  static final int COLUMNS = 512;
  /** Where the contents of shared memory begin. */
  static final int OPERANDS = 1024;
  private static final int STEP = 32;

  private final int ctas;
  final byte[] shared;
  final int[] tensor;
  private final long[] values;

  /**
   * @param sharedBytes of each CTA, a multiple of sixteen
   * @param values of 64-bit registers %l10, %l11, …
   */
  TensorMachine(int ctas, int sharedBytes, long... values) {
    this.ctas = ctas;
    this.values = values;
    shared = new byte[ctas * sharedBytes];
    tensor = new int[ctas * LANES * COLUMNS];
  }

  static int cell(int cta, int lane, int column) {
    return (cta * LANES + lane) * COLUMNS + column;
  }

  int sharedBytes() {
    return shared.length / ctas;
  }

  /** A descriptor of a matrix that lies so far behind the beginning of the contents. */
  static long descriptor(int offset, int leading, int stride, int swizzle) {
    return (OPERANDS + offset) / 16 | (long) leading / 16 << 16 | (long) stride / 16 << 32 | 1L << 46
        | (long) swizzle << 61;
  }

  private String transfer(boolean store) {
    var text = new StringBuilder("  mov.u32 %r20, 0;\n  mov.u32 %r21, %r2;\n  mov.u64 %l3, %l2;\n");
    var label = store ? "STORE" : "LOAD";
    text.append(label).append(":\n");
    if (store) {
      for (int i = 0; i < STEP; i += 4) text.append("  ld.global.v4.b32 " + quad(i) + ", [%l3+" + 4 * i + "];\n");
      text.append("  tcgen05.st.sync.aligned.32x32b.x32.b32 [%r21], " + Blackwell.vector("%v", STEP) + ";\n");
    } else {
      text.append("  tcgen05.ld.sync.aligned.32x32b.x32.b32 " + Blackwell.vector("%v", STEP) + ", [%r21];\n"
          + "  tcgen05.wait::ld.sync.aligned;\n");
      for (int i = 0; i < STEP; i += 4) text.append("  st.global.v4.b32 [%l3+" + 4 * i + "], " + quad(i) + ";\n");
    }
    return text + "  add.u32 %r20, %r20, 32;\n  add.u32 %r21, %r21, 32;\n  add.u64 %l3, %l3, 128;\n"
        + "  setp.lt.u32 %q2, %r20, 512;\n  @%q2 bra " + label + ";\n"
        + (store ? "  tcgen05.wait::st.sync.aligned;\n" : "");
  }

  private static String quad(int first) {
    return "{%v" + first + ", %v" + (first + 1) + ", %v" + (first + 2) + ", %v" + (first + 3) + "}";
  }

  private String meet() {
    var barrier = ctas == 1 ? "  bar.sync 0;\n"
        : "  barrier.cluster.arrive.release.aligned;\n  barrier.cluster.wait.acquire.aligned;\n";
    return "  tcgen05.fence::before_thread_sync;\n" + barrier + "  tcgen05.fence::after_thread_sync;\n";
  }

  private String ptx(String instructions) {
    var constants = new StringBuilder();
    for (int i = 0; i < values.length; i++) constants.append("  mov.b64 %l" + (10 + i) + ", " + values[i] + ";\n");
    var directives = ctas == 1 ? "" : ".explicitcluster .reqnctapercluster 2,1,1";
    var group = "cta_group::" + ctas;
    var commit = ctas == 1
        ? "  tcgen05.commit.cta_group::1.mbarrier::arrive::one.shared::cluster.b64 [%r1];\n"
        : "  mov.b16 %h1, 3;\n  tcgen05.commit.cta_group::2.mbarrier::arrive::one.shared::cluster"
            + ".multicast::cluster.b64 [%r1], %h1;\n";
    return Blackwell.kernel(2, directives, """
          mov.u32 %%r30, %%cluster_ctarank;
          mul.wide.u32 %%l1, %%r30, %1$d;
          add.u64 %%l1, %%l1, %%p0;
          mul.wide.u32 %%l2, %%r30, %2$d;
          add.u64 %%l2, %%l2, %%p1;
          mul.wide.u32 %%l4, %%t, %3$d;
          add.u64 %%l2, %%l2, %%l4;
          shl.b32 %%r3, %%t, 4;
        FILL:
          setp.ge.u32 %%q3, %%r3, %1$d;
          @%%q3 bra FILLED;
          cvt.u64.u32 %%l5, %%r3;
          add.u64 %%l5, %%l5, %%l1;
          ld.global.v4.b32 {%%v0, %%v1, %%v2, %%v3}, [%%l5];
          add.u32 %%r4, %%sm, %%r3;
          st.shared.v4.b32 [%%r4+1024], {%%v0, %%v1, %%v2, %%v3};
          add.u32 %%r3, %%r3, 2048;
          bra FILL;
        FILLED:
          fence.proxy.async;
          add.u32 %%r1, %%sm, 16;
          setp.ne.u32 %%q4, %%t, 0;
          @%%q4 bra READY;
          mbarrier.init.shared::cta.b64 [%%r1], 1;
          fence.mbarrier_init.release.cluster;
        READY:
          setp.ne.u32 %%q15, %%w, 0;
          @%%q15 bra ALLOCATED;
          tcgen05.alloc.%4$s.sync.aligned.shared::cta.b32 [%%sm], 512;
          tcgen05.relinquish_alloc_permit.%4$s.sync.aligned;
        ALLOCATED:
          bar.sync 0;
          ld.shared.b32 %%tm, [%%sm];
          shl.b32 %%r2, %%w, 21;
          add.u32 %%r2, %%r2, %%tm;
        %5$s%6$s
        %7$s
          setp.ne.or.u32 %%q5, %%r30, 0, %%q4;
          @%%q5 bra ISSUED;
          setp.eq.u32 %%q1, %%t, %%t;
          setp.ne.u32 %%q0, %%t, %%t;
        %8$s
        %9$s
        ISSUED:
          mbarrier.try_wait.parity.acquire.cta.shared::cta.b64 %%q6, [%%r1], 0;
          @!%%q6 bra ISSUED;
          tcgen05.fence::after_thread_sync;
        %10$s%6$s
          @%%q15 bra FREED;
          tcgen05.dealloc.%4$s.sync.aligned.b32 %%tm, 512;
        FREED:
        """.formatted(sharedBytes(), LANES * COLUMNS * Integer.BYTES, COLUMNS * Integer.BYTES, group, transfer(true),
        meet(), constants, instructions, commit, transfer(false)));
  }

  /** Runs instructions; %tm is the address of Tensor Memory, %q1 is true and %q0 false. */
  SimulationResult run(String instructions, SimulatorOptions options) {
    return Blackwell.run(ptx(instructions), ctas, ctas, LANES, OPERANDS + sharedBytes(), options, shared, tensor);
  }
}
