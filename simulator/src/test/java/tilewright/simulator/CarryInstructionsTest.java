package tilewright.simulator;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import java.math.BigInteger;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Extended-precision instructions against integers of any size. */
class CarryInstructionsTest {
  private static final int N = 2000;

  private static long[] longs(int seed) {
    var random = new Random(seed);
    return random.longs(N).map(v -> random.nextInt(4) == 0 ? -(v & 1) : v).toArray();
  }

  private static BigInteger unsigned(long bits) {
    return new BigInteger(Long.toUnsignedString(bits));
  }

  @ParameterizedTest
  @ValueSource(strings = {"u32", "s32"})
  void sumsOfLongsByWords(String type) {
    var middle = """
        mov.b64 {%%r10, %%r11}, %%l0;
        mov.b64 {%%r12, %%r13}, %%l1;
        add.cc.%1$s %%r10, %%r10, %%r12;
        addc.%1$s %%r11, %%r11, %%r13;
        mov.b64 %%l0, {%%r10, %%r11};
        mov.b64""".formatted(type);
    long[] a = longs(1);
    long[] b = longs(2);
    long[] sum = Instructions.on64(middle + " %l3, %l0; //", a, b, b, 0);
    for (int i = 0; i < N; i++) assertEquals(a[i] + b[i], sum[i]);
  }

  @Test
  void differencesOfLongsByWordsInPlace() {
    var middle = """
        mov.b64 {%r10, %r11}, %l0;
        mov.b64 {%r12, %r13}, %l1;
        sub.cc.u32 %r12, %r10, %r12;
        subc.u32 %r13, %r11, %r13;
        mov.b64""";
    long[] a = longs(3);
    long[] b = longs(4);
    long[] difference = Instructions.on64(middle + " %l3, {%r12, %r13}; //", a, b, b, 0);
    for (int i = 0; i < N; i++) assertEquals(a[i] - b[i], difference[i]);
  }

  /** The carry out of a chain's last step, made visible by adding it to zero. */
  @ParameterizedTest
  @CsvSource({"add,addc", "sub,subc"})
  void carriesOfLongs(String first, String second) {
    var middle = """
        %s.cc.u64 %%l4, %%l0, %%l1;
        %2$s.cc.u64 %%l5, %%l1, %%l2;
        %2$s.u64 %%l6, 0, 0;
        and.b64 %%l6, %%l6, 1;
        add.u64 %%l5, %%l5, %%l5;
        add.u64""".formatted(first, second);
    long[] a = longs(5);
    long[] b = longs(6);
    long[] c = longs(7);
    long[] got = Instructions.on64(middle + " %l3, %l5, %l6; //", a, b, c, 0);
    for (int i = 0; i < N; i++) {
      boolean sum = first.equals("add");
      var low = sum ? unsigned(a[i]).add(unsigned(b[i])) : unsigned(a[i]).subtract(unsigned(b[i]));
      int carry = low.shiftRight(64).intValue() & 1;
      var next = BigInteger.valueOf(carry);
      var high = sum ? unsigned(b[i]).add(unsigned(c[i])).add(next) : unsigned(b[i]).subtract(unsigned(c[i]))
          .subtract(next);
      assertEquals(2 * high.longValue() + (high.shiftRight(64).intValue() & 1), got[i]);
    }
  }

  @Test
  void fullProductsByMultiplyAddWithCarry() {
    // (a1 a0) * (b1 b0) + c in words: the upper long of the 128-bit result.
    var middle = """
        mov.b64 {%r10, %r11}, %l0;
        mov.b64 {%r12, %r13}, %l1;
        mov.b64 {%r14, %r15}, %l2;
        mad.lo.cc.u32 %r20, %r10, %r12, %r14;
        madc.hi.cc.u32 %r21, %r10, %r12, %r15;
        madc.hi.u32 %r22, %r10, %r13, 0;
        mad.lo.cc.u32 %r21, %r10, %r13, %r21;
        addc.cc.u32 %r22, %r22, 0;
        addc.u32 %r23, 0, 0;
        mad.lo.cc.u32 %r21, %r11, %r12, %r21;
        madc.hi.cc.u32 %r22, %r11, %r12, %r22;
        addc.u32 %r23, %r23, 0;
        mad.lo.cc.u32 %r22, %r11, %r13, %r22;
        madc.hi.u32 %r23, %r11, %r13, %r23;
        mov.b64""";
    long[] a = longs(8);
    long[] b = longs(9);
    long[] c = longs(10);
    long[] want = new long[N];
    for (int i = 0; i < N; i++) {
      want[i] = unsigned(a[i]).multiply(unsigned(b[i])).add(unsigned(c[i])).shiftRight(64).longValue();
    }
    assertArrayEquals(want, Instructions.on64(middle + " %l3, {%r22, %r23}; //", a, b, c, 0));
  }

  @Test
  void theFlagAfterADifferenceMeansThatNothingWasBorrowed() {
    // The compiler's own division of 128-bit integers goes on with addc.
    var middle = """
        sub.cc.u64 %l4, %l0, %l1;
        addc.u64""";
    long[] a = longs(11);
    long[] b = longs(12);
    long[] got = Instructions.on64(middle + " %l3, 0, 0; //", a, b, b, 0);
    for (int i = 0; i < N; i++) assertEquals(unsigned(a[i]).compareTo(unsigned(b[i])) >= 0 ? 1 : 0, got[i]);
  }
}
