package tilewright.simulator;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.List;
import org.junit.jupiter.api.Test;

/** {@code multimem} on a multicast object of one GPU: the one replica holds what all would. */
class MultimemTest {
  @Test
  void reducingOneReplicaGivesItsValues() {
    float[] memory = {1, -2, 3.5f, 1e30f};
    long[] bits = {0x1234_5678_9ABC_DEF0L};
    float[] out = new float[4];
    long[] outBits = new long[1];
    var result = Kernels.run(Kernels.kernel("sm_90", 4, "", """
        multimem.ld_reduce.relaxed.gpu.global.add.v4.f32 {%f0, %f1, %f2, %f3}, [%p0];
        st.global.v4.f32 [%p2], {%f0, %f1, %f2, %f3};
        multimem.ld_reduce.global.min.u64 %l0, [%p1];
        st.global.u64 [%p3], %l0;
        """), 1, Kernels.SANITIZED, memory, bits, out, outBits);
    assertEquals(List.of(), result.findings());
    assertArrayEquals(memory, out);
    assertArrayEquals(bits, outBits);
  }

  @Test
  void packedHalvesKeepTheirBits() {
    int[] memory = {0x3C00_BC00, 0x0001_7C00, 0x4248_C248, 0x8000_0000};
    int[] out = new int[4];
    Kernels.run(Kernels.kernel("sm_90", 2, "", """
        multimem.ld_reduce.weak.global.add.acc::f32.v4.f16x2 {%r0, %r1, %r2, %r3}, [%p0];
        st.global.v4.b32 [%p1], {%r0, %r1, %r2, %r3};
        """), 1, Kernels.PLAIN, memory, out);
    assertArrayEquals(memory, out);
  }

  @Test
  void storesAndReductionsGoToTheOneReplica() {
    float[] sums = {1, 2};
    int[] words = {0b1100, 7};
    var result = Kernels.run(Kernels.kernel("sm_90", 2, "", """
        mov.f32 %f0, 0f3F800000;
        mov.f32 %f1, 0f40000000;
        multimem.red.release.gpu.global.add.v2.f32 [%p0], {%f0, %f1};
        mov.b32 %r0, 6;
        multimem.red.global.and.b32 [%p1], %r0;
        setp.ne.u32 %q0, %t, 0;
        @%q0 ret;
        multimem.st.relaxed.gpu.global.u32 [%p1+4], %r0;
        """), 32, Kernels.SANITIZED, sums, words);
    assertEquals(List.of(), result.findings());
    assertArrayEquals(new float[] {33, 66}, sums);
    assertArrayEquals(new int[] {0b0100, 6}, words);
  }
}
