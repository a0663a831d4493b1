package tilewright.simulator;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import tilewright.ptx.Dim3;

/** Instructions that lanes execute together. */
class WarpInstructionsTest {
  private static int[] lanes(String body) {
    var out = new int[32];
    var result = Kernels.run(Kernels.kernel(1, body + Instructions.store("u32", "%r0", 0, "%t4")), 32, Kernels.PLAIN,
        out);
    assertEquals(List.of(), result.findings());
    return out;
  }

  @ParameterizedTest
  @CsvSource({"up,1,0", "up,3,0x1800", "down,1,31", "down,2,0x181f", "bfly,16,31", "bfly,1,31", "bfly,5,0x1c1f",
      "idx,7,31", "idx,2,0x181f"})
  void shufflesReadTheLaneTheyName(String mode, int by, String bounds) {
    int c = Integer.decode(bounds);
    int segment = c >> 8 & 31;
    int[] got = lanes("mad.lo.u32 %r1, %t, 10, 3;\nshfl.sync." + mode + ".b32 %r0|%q0, %r1, " + by + ", " + bounds
        + ", 0xffffffff;\n@!%q0 add.u32 %r0, %r0, 1000;\n");
    for (int lane = 0; lane < 32; lane++) {
      // A segment of lanes begins where the masked bits of the lane number change.
      int first = lane & segment;
      int last = first | c & 31 & ~segment;
      int source = switch (mode) {
        case "up" -> lane - by;
        case "down" -> lane + by;
        case "bfly" -> lane ^ by;
        default -> first | by & ~segment;
      };
      boolean inside = mode.equals("up") ? source >= first : source <= last;
      assertEquals(inside ? source * 10 + 3 : lane * 10 + 1003, got[lane], "lane " + lane);
    }
  }

  @Test
  void divergedLanesMeetAtAShuffleOfTheirMask() {
    int[] got = lanes("""
        mov.u32 %r1, 0;
        setp.lt.u32 %q0, %t, 16;
        @%q0 bra LOW;
        mov.u32 %r1, 100;
        LOW: add.u32 %r1, %r1, %t;
        setp.ge.u32 %q1, %t, 8;
        mov.u32 %r0, 0;
        @%q1 bra HIGH;
        shfl.sync.bfly.b32 %r0, %r1, 1, 31, 0xff;
        bra END;
        HIGH: shfl.sync.idx.b32 %r0, %r1, 31, 31, 0xffffff00;
        END:
        """);
    assertArrayEquals(IntStream.range(0, 32).map(t -> t < 8 ? t ^ 1 : 131).toArray(), got);
  }

  @Test
  void votesCountTheMembersOnly() {
    int[] got = lanes("""
        setp.lt.u32 %q0, %t, 5;
        vote.sync.ballot.b32 %r1, %q0, 0xffffffff;
        vote.sync.any.pred %q1, %q0, 0xffffffff;
        vote.sync.all.pred %q2, %q0, 0xffffffff;
        vote.sync.uni.pred %q3, %q0, 0xffffffff;
        selp.b32 %r2, 256, 0, %q1;
        selp.b32 %r3, 512, 0, %q2;
        selp.b32 %r4, 1024, 0, %q3;
        add.u32 %r0, %r1, %r2;
        add.u32 %r0, %r0, %r3;
        add.u32 %r0, %r0, %r4;
        """);
    assertArrayEquals(IntStream.range(0, 32).map(_ -> 31 + 256).toArray(), got);
  }

  @ParameterizedTest
  @ValueSource(strings = {"add.u32", "min.s32", "min.u32", "max.s32", "max.u32", "and.b32", "or.b32", "xor.b32"})
  void reductionsCoverTheWarp(String operation) {
    int[] in = new Random(1).ints(32).toArray();
    int[] out = new int[32];
    Kernels.run(Kernels.kernel(2, Instructions.load("u32", "%r1", 0, "%t4") + "redux.sync." + operation
        + " %r0, %r1, 0xffffffff;\n" + Instructions.store("u32", "%r0", 1, "%t4")), 32, Kernels.PLAIN, in, out);
    var stream = IntStream.of(in);
    int want = switch (operation) {
      case "add.u32" -> stream.sum();
      case "min.s32" -> stream.min().orElseThrow();
      case "max.s32" -> stream.max().orElseThrow();
      case "min.u32" -> stream.boxed().min(Integer::compareUnsigned).orElseThrow();
      case "max.u32" -> stream.boxed().max(Integer::compareUnsigned).orElseThrow();
      case "and.b32" -> stream.reduce(-1, (a, b) -> a & b);
      case "or.b32" -> stream.reduce(0, (a, b) -> a | b);
      default -> stream.reduce(0, (a, b) -> a ^ b);
    };
    assertArrayEquals(IntStream.range(0, 32).map(_ -> want).toArray(), out);
  }

  /** Some lanes only, some with NaN; both zeros are there. */
  @ParameterizedTest
  @CsvSource({"min, 0xffff, -3f", "max, 0xffff, 12f", "min.abs, 0xffff, 0f", "max.abs, 0xffff, 12f",
      "min, 0x0003, -0f", "max, 0x0003, 0f", "min, 0x10000, NaN", "min, 0x30000, -16f", "max, 0x10003, 0f",
      "min.NaN, 0x0003, -0f", "max.NaN, 0x10003, NaN", "max.abs.NaN, 0x001c, 4f", "min.abs.NaN, 0x1001c, NaN"})
  void reductionsOfSinglesLeaveOutNotANumberUnlessAsked(String operation, String members, float expected) {
    float[] in = new float[32];
    for (int i = 0; i < 32; i++) in[i] = i < 16 ? i - 3 : i % 2 == 0 ? Float.intBitsToFloat(0xFFC0_1234) : 1 - i;
    System.arraycopy(new float[] {0, -0f, -3, 3, 4}, 0, in, 0, 5);
    int[] out = new int[32];
    Kernels.run(Kernels.kernel("sm_100a", 2, "", """
        shr.u32 %%r5, %1$s, %%t;
        and.b32 %%r5, %%r5, 1;
        setp.eq.u32 %%q0, %%r5, 0;
        @%%q0 bra S;
        """.formatted(members) + Instructions.load("f32", "%f1", 0, "%t4") + "redux.sync." + operation
        + ".f32 %f0, %f1, " + members + ";\n" + Instructions.store("f32", "%f0", 1, "%t4") + "S:\n"), 32, Kernels.PLAIN,
        in, out);
    int lane = Integer.numberOfTrailingZeros(Integer.decode(members));
    assertEquals(Float.isNaN(expected) ? 0x7FFF_FFFF : Float.floatToRawIntBits(expected), out[lane]);
  }

  @Test
  void matchFindsEqualValuesAndElectChoosesTheLowestLane() {
    int[] got = lanes("""
        and.b32 %r1, %t, 7;
        match.any.sync.b32 %r0, %r1, 0xffffffff;
        elect.sync %r2|%q0, 0xfffffff0;
        @%q0 add.u32 %r0, %r0, 1;
        """.replace("elect.sync %r2|%q0, 0xfffffff0;", "elect.sync %r2|%q0, 0xffffffff;"));
    assertArrayEquals(IntStream.range(0, 32).map(t -> (0x0101_0101 << (t & 7)) + (t == 0 ? 1 : 0)).toArray(), got);
  }

  @ParameterizedTest
  @CsvSource({"1,false", "2,false", "4,false", "1,true", "2,true", "4,true"})
  void matrixLoadsGiveEachLaneItsFragment(int count, boolean transposed) {
    // Matrix k, row r, column c holds 100 k + 10 r + c; rows are scattered, so that their addresses matter.
    short[] tile = new short[32 * 16];
    for (int k = 0; k < 4; k++) {
      for (int r = 0; r < 8; r++) {
        for (int c = 0; c < 8; c++) tile[(8 * k + r) * 7 % 32 * 16 + c] = (short) (100 * k + 10 * r + c);
      }
    }
    var registers = String.join(",", List.of("%r0", "%r1", "%r2", "%r3").subList(0, count));
    var body = """
        .shared .align 16 .b8 tile[1024];
        mov.u32 %%r10, tile;
        shl.b32 %%r11, %%t, 5;
        add.u32 %%r12, %%r10, %%r11;
        mul.wide.u32 %%l0, %%t, 32;
        add.s64 %%l0, %%p0, %%l0;
        ld.global.v4.u32 {%%r20,%%r21,%%r22,%%r23}, [%%l0];
        st.shared.v4.u32 [%%r12], {%%r20,%%r21,%%r22,%%r23};
        bar.sync 0;
        mul.lo.u32 %%r13, %%t, 7;
        and.b32 %%r13, %%r13, 31;
        shl.b32 %%r13, %%r13, 5;
        add.u32 %%r13, %%r13, %%r10;
        ldmatrix.sync.aligned.m8n8.x%d%s.shared.b16 {%s}, [%%r13];
        mul.lo.u32 %%r14, %%t, %d;
        mul.wide.u32 %%l1, %%r14, 4;
        add.s64 %%l1, %%p1, %%l1;
        """.formatted(count, transposed ? ".trans" : "", registers, count);
    var stores = new StringBuilder();
    for (int k = 0; k < count; k++) {
      stores.append("st.global.u32 [%l1+").append(4 * k).append("], %r").append(k).append(";\n");
    }
    short[] out = new short[32 * 2 * count];
    var result = Kernels.run(Kernels.kernel(2, body + stores), Dim3.ONE, Dim3.of(32), 0, Kernels.PLAIN, tile, out);
    assertEquals(List.of(), result.findings());
    for (int lane = 0; lane < 32; lane++) {
      for (int k = 0; k < count; k++) {
        for (int half = 0; half < 2; half++) {
          int row = transposed ? 2 * (lane % 4) + half : lane / 4;
          int column = transposed ? lane / 4 : 2 * (lane % 4) + half;
          assertEquals(100 * k + 10 * row + column, out[(lane * count + k) * 2 + half], "lane " + lane + " matrix "
              + k);
        }
      }
    }
  }

  @Test
  void matrixStoresAreInverseToMatrixLoads() {
    var out = new int[32];
    for (var form : List.of("", ".trans")) {
      var result = Kernels.run(Kernels.kernel("sm_90", 1, "", """
          .shared .align 16 .b8 tile[512];
          mov.u32 %r10, tile;
          shl.b32 %r11, %t, 4;
          add.u32 %r12, %r10, %r11;
          mad.lo.u32 %r0, %t, 77, 5;
          stmatrix.sync.aligned.m8n8.x1FORM.shared.b16 [%r12], {%r0};
          bar.warp.sync 0xffffffff;
          ldmatrix.sync.aligned.m8n8.x1FORM.shared.b16 {%r1}, [%r12];
          """.replace("FORM", form) + Instructions.store("u32", "%r1", 0, "%t4")), 32, Kernels.SANITIZED, out);
      assertEquals(List.of(), result.findings());
      assertArrayEquals(IntStream.range(0, 32).map(t -> t * 77 + 5).toArray(), out);
    }
  }

  /** So an H200 elected for 1024 member masks drawn at random, down to one lane. */
  @Test
  void theLowestMemberIsElected() {
    int[] masks = IntStream.range(0, 1024).map(k -> new Random(k).nextInt() & -1 << k % 32 | 1 << k % 32).toArray();
    int[] out = new int[32 * masks.length];
    var ptx = Kernels.kernel("sm_90", 2, "", """
        mov.u32 %r0, %ctaid.x;
        mul.wide.u32 %l0, %r0, 4;
        add.s64 %l0, %p1, %l0;
        ld.global.u32 %r1, [%l0];
        shr.u32 %r2, %r1, %t;
        and.b32 %r2, %r2, 1;
        setp.eq.u32 %q0, %r2, 0;
        @%q0 bra END;
        elect.sync %r3|%q1, %r1;
        selp.u32 %r4, 256, 512, %q1;
        or.b32 %r4, %r4, %r3;
        mad.lo.u32 %r5, %r0, 32, %t;
        mul.wide.u32 %l1, %r5, 4;
        add.s64 %l1, %p0, %l1;
        st.global.u32 [%l1], %r4;
        END:
        """);
    var result = Kernels.run(ptx, Dim3.of(masks.length), Dim3.of(32), 0, Kernels.SANITIZED, out, masks);
    assertEquals(List.of(), result.findings());
    for (int k = 0; k < out.length; k++) {
      int mask = masks[k / 32];
      int lowest = Integer.numberOfTrailingZeros(mask);
      int expected = (mask >>> k % 32 & 1) == 0 ? 0 : (k % 32 == lowest ? 256 : 512) | lowest;
      assertEquals(expected, out[k], "lane " + k % 32 + " of " + Integer.toHexString(mask));
    }
  }
}
