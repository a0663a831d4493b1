package tilewright.simulator;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.BitSet;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** {@code ldmatrix} of numbers of four and six bits: bit by bit, as bytes of the lanes (PTX ISA, ldmatrix). */
class PackedMatricesTest {
  private static final int ROW = 16;

  @ParameterizedTest
  @CsvSource({"b4x16_p64,4,1", "b4x16_p64,4,4", "b6x16_p32,6,2", "b6x16_p32,6,4"})
  void everyNumberTakesTheLowEndOfAByte(String format, int bits, int count) {
    var memory = new byte[32 * ROW];
    new Random(bits).nextBytes(memory);
    var out = new byte[32 * ROW];
    var registers = String.join(", ", List.of("%r0", "%r1", "%r2", "%r3").subList(0, count));
    var result = Kernels.run(Kernels.kernel("sm_100a", 2, "", """
        .shared .align 16 .b8 tile[512];
        mov.u32 %%r10, tile;
        shl.b32 %%r11, %%t, 4;
        add.u32 %%r12, %%r10, %%r11;
        mul.wide.u32 %%l0, %%t, 16;
        add.s64 %%l1, %%p0, %%l0;
        add.s64 %%l2, %%p1, %%l0;
        ld.global.v4.u32 {%%r20, %%r21, %%r22, %%r23}, [%%l1];
        st.shared.v4.u32 [%%r12], {%%r20, %%r21, %%r22, %%r23};
        bar.sync 0;
        ldmatrix.sync.aligned.m8n16.x%d.shared.b8x16.%s {%s}, [%%r12];
        st.global.v4.u32 [%%l2], {%%r0, %%r1, %%r2, %%r3};
        """.formatted(count, format, registers)), 32, Kernels.SANITIZED, memory, out);
    assertEquals(List.of(), result.findings());
    for (int lane = 0; lane < 32; lane++) {
      for (int matrix = 0; matrix < count; matrix++) {
        for (int k = 0; k < 4; k++) {
          int expected = number(memory, 8 * matrix + lane / 4, 4 * (lane % 4) + k, bits);
          assertEquals(expected, out[lane * ROW + 4 * matrix + k], "lane " + lane + " matrix " + matrix);
        }
      }
    }
  }

  private static int number(byte[] memory, int row, int column, int bits) {
    var all = BitSet.valueOf(memory);
    int value = 0;
    for (int b = 0; b < bits; b++) if (all.get(8 * ROW * row + bits * column + b)) value |= 1 << b;
    return value;
  }
}
