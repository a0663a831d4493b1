package tilewright.simulator;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Arrays;
import java.util.List;
import java.util.function.IntBinaryOperator;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import tilewright.simulator.Finding.Kind;

/** {@code st.async} and {@code red.async}. */
class AsyncStoresTest {
  private static final int THREADS = 32;

  /**
   * Every rank sends to the next one: 16 bytes of place a thread, which hold -3, 5, 0x7fff0000 and t before. What
   * arrives is copied out.
   */
  private static String send(int bytes, String operation) {
    return """
        .shared .align 8 .b64 bar;
        .shared .align 16 .b32 data[128];
        mov.u32 %r1, %cluster_ctarank;
        mov.u32 %r2, %cluster_nctarank;
        setp.eq.u32 %q0, %t, 0;
        mov.u32 %r3, bar;
        mov.u32 %r4, data;
        mad.lo.u32 %r5, %t, 16, %r4;
        st.shared.v4.u32 [%r5], {-3, 5, 0x7fff0000, %t};
        @%q0 mbarrier.init.shared.b64 [%r3], 1;
        @%q0 mbarrier.arrive.expect_tx.shared.b64 _, [%r3], TOTAL;
        barrier.cluster.arrive;
        barrier.cluster.wait;
        add.u32 %r6, %r1, 1;
        rem.u32 %r6, %r6, %r2;
        mapa.shared::cluster.u32 %r7, %r3, %r6;
        mapa.shared::cluster.u32 %r8, %r5, %r6;
        mad.lo.u32 %r10, %r1, 100, %t;
        not.b32 %r11, %r10;
        mul.lo.u32 %r12, %r10, 12345;
        mov.u32 %r13, 77;
        mov.b64 %l3, {%r10, %r11};
        mov.b64 %l4, {%r12, %r13};
        """.replace("TOTAL", Integer.toString(THREADS * bytes)) + operation + """
        WAIT: mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 %q2, [%r3], 0;
        @!%q2 bra WAIT;
        ld.shared.v4.u32 {%r20, %r21, %r22, %r23}, [%r5];
        mad.lo.u32 %r9, %r1, 32, %t;
        mul.wide.u32 %l0, %r9, 16;
        add.u64 %l0, %l0, %p0;
        st.global.v4.u32 [%l0], {%r20, %r21, %r22, %r23};
        barrier.cluster.arrive;
        barrier.cluster.wait;
        """;
  }

  /** What a thread's place holds when it got some of what its sender has. */
  private static int[] place(int rank, int ranks, int t, int words) {
    int v = 100 * ((rank + ranks - 1) % ranks) + t;
    int[] sent = {v, ~v, v * 12345, 77};
    int[] before = {-3, 5, 0x7fff0000, t};
    return IntStream.range(0, 4).map(k -> k < words ? sent[k] : before[k]).toArray();
  }

  private static int[] run(String body, int ranks, long seed) {
    int[] out = new int[ranks * THREADS * 4];
    var result = Clusters.run(Clusters.kernel(1, body), ranks, THREADS, Kernels.SANITIZED.withSeed(seed), out);
    assertEquals(List.of(), result.findings());
    return out;
  }

  @ParameterizedTest
  @CsvSource(delimiter = '|', value = {"1|.u32 [%r8], %r10, [%r7];", "1|.s32 [%r8], %r10, [%r7];",
      "2|.b64 [%r8], %l3, [%r7];", "2|.v2.b32 [%r8], {%r10, %r11}, [%r7];",
      "4|.v4.u32 [%r8], {%r10, %r11, %r12, %r13}, [%r7];", "4|.v2.u64 [%r8], {%l3, %l4}, [%r7];"})
  void storesArriveWithTheirBytes(int words, String operands) {
    var store = "st.async.shared::cluster.mbarrier::complete_tx::bytes" + operands + "\n";
    for (long seed = 0; seed < 8; seed++) {
      int[] out = run(send(4 * words, store), 3, seed);
      for (int i = 0; i < 3 * THREADS; i++) {
        assertArrayEquals(place(i / THREADS, 3, i % THREADS, words), Arrays.copyOfRange(out, 4 * i, 4 * i + 4));
      }
    }
  }

  @Test
  void genericAddressesServeToo() {
    var store = """
        cvt.u64.u32 %l5, %r8;
        cvta.shared::cluster.u64 %l5, %l5;
        cvt.u64.u32 %l6, %r7;
        cvta.shared::cluster.u64 %l6, %l6;
        st.async.weak.mbarrier::complete_tx::bytes.b32 [%l5], %r10, [%l6];
        """;
    int[] out = run(send(4, store), 2, 1);
    for (int i = 0; i < 2 * THREADS; i++) assertEquals(100 * (1 - i / THREADS) + i % THREADS, out[4 * i]);
  }

  private static IntBinaryOperator meaning(String operation) {
    return switch (operation) {
      case "add.u32", "add.s32" -> (a, b) -> a + b;
      case "min.s32" -> Math::min;
      case "max.s32" -> Math::max;
      case "min.u32" -> (a, b) -> Integer.compareUnsigned(a, b) < 0 ? a : b;
      case "max.u32" -> (a, b) -> Integer.compareUnsigned(a, b) > 0 ? a : b;
      case "and.b32" -> (a, b) -> a & b;
      case "or.b32" -> (a, b) -> a | b;
      case "xor.b32" -> (a, b) -> a ^ b;
      case "inc.u32" -> (a, b) -> Integer.compareUnsigned(a, b) >= 0 ? 0 : a + 1;
      case "dec.u32" -> (a, b) -> a == 0 || Integer.compareUnsigned(a, b) > 0 ? b : a - 1;
      default -> throw new IllegalArgumentException(operation);
    };
  }

  @ParameterizedTest
  @CsvSource({"add.u32", "add.s32", "min.s32", "max.s32", "min.u32", "max.u32", "and.b32", "or.b32", "xor.b32",
      "inc.u32", "dec.u32"})
  void reductionsChangeTheirPlaceOnce(String operation) {
    var reduction = "red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes." + operation;
    var body = send(8, reduction + " [%r8+4], %r10, [%r7];\n" + reduction + " [%r8], %r11, [%r7];\n");
    int[] out = run(body, 2, 3);
    for (int i = 0; i < 2 * THREADS; i++) {
      int v = 100 * (1 - i / THREADS) + i % THREADS;
      assertEquals(meaning(operation).applyAsInt(-3, ~v), out[4 * i]);
      assertEquals(meaning(operation).applyAsInt(5, v), out[4 * i + 1]);
    }
  }

  @Test
  void reductionsOf64BitsAddWithCarry() {
    var reduction =
        "red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.add.u64 [%r8], %l3, [%r7];\n";
    int[] out = run(send(8, reduction), 2, 3);
    for (int i = 0; i < 2 * THREADS; i++) {
      int v = 100 * (1 - i / THREADS) + i % THREADS;
      long sum = (5L << 32 | 0xFFFF_FFFDL) + ((long) ~v << 32 | v);
      assertEquals(sum, (long) out[4 * i + 1] << 32 | out[4 * i] & 0xFFFF_FFFFL);
    }
  }

  @Test
  void manyReductionsOfOnePlaceAreAllCounted() {
    var reduction = "red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.add.u32 [%r9], 1, [%r7];\n";
    var body = send(4, "mapa.shared::cluster.u32 %r9, %r4, %r6;\n" + reduction);
    int[] out = run(body, 4, 5);
    for (int rank = 0; rank < 4; rank++) assertEquals(-3 + THREADS, out[4 * THREADS * rank]);
  }

  @Test
  void globalStoresAndReductionsArriveInTheEnd() {
    var body = """
        add.u64 %l0, %p0, %t4;
        st.async.release.gpu.global.u32 [%l0], %t;
        red.async.release.gpu.global.add.u32 [%p0+256], %t;
        """;
    int[] out = new int[65];
    assertEquals(List.of(), Kernels.run(Kernels.kernel("sm_100", 1, "", body), 64, Kernels.PLAIN, out).findings());
    assertArrayEquals(IntStream.range(0, 65).map(t -> t < 64 ? t : 64 * 63 / 2).toArray(), out);
  }

  @Test
  void aStoreThatReachesABlockAfterItsExitIsAnError() {
    var body = send(4, """
        setp.eq.u32 %q3, %r1, 1;
        @%q3 ret;
        st.async.shared::cluster.mbarrier::complete_tx::bytes.u32 [%r8], %r10, [%r7];
        ret;
        """);
    boolean late = false;
    for (long seed = 0; seed < 40; seed++) {
      var result = Clusters.run(Clusters.kernel(1, body), 2, THREADS, Kernels.PLAIN.withSeed(seed), new int[256]);
      for (var f : result.findings()) {
        assertEquals(Kind.INVALID_OPERATION, f.kind());
        late |= f.message().contains("only after that has exited");
      }
    }
    assertTrue(late);
  }
}
