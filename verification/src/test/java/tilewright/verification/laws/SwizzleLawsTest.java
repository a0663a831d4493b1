package tilewright.verification.laws;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.BitSet;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import tilewright.layout.f2.Swizzle;

/** Sw&lt;B,M,S&gt; against its bits. */
class SwizzleLawsTest {

  /** All with B ≤ 4, M ≤ 4, B ≤ |S| ≤ 6: their blocks have at most 2^14 elements. */
  private static Stream<Swizzle> swizzles() {
    return IntStream.rangeClosed(0, 4).boxed().flatMap(bits -> IntStream.rangeClosed(0, 4).boxed()
        .flatMap(base -> IntStream.rangeClosed(-6, 6).filter(shift -> Math.abs(shift) >= bits)
            .mapToObj(shift -> new Swizzle(bits, base, shift))));
  }

  private static int block(Swizzle swizzle) {
    return 1 << swizzle.bits() + swizzle.base() + Math.abs(swizzle.shift());
  }

  /** Bit by bit: each bit of the read field flips the bit |S| below it, or above it for S &lt; 0. */
  private static long defined(Swizzle swizzle, long x) {
    long result = x;
    for (int k = 0; k < swizzle.bits(); k++) {
      int read = swizzle.base() + Math.max(0, swizzle.shift()) + k;
      if ((x >> read & 1) == 1) result ^= 1L << read - swizzle.shift();
    }
    return result;
  }

  @Test
  void aSwizzleIsAnInvolutionOfEachBlock() {
    var law = new Law(15, "Sw is its definition bit by bit, its own inverse, and permutes each 2^(B+M+|S|)");
    law.holdsFor("B ≤ 4, M ≤ 4, |S| ≤ 6; two blocks of offsets each", 100, swizzles(), swizzle -> {
      var seen = new BitSet();
      int size = block(swizzle);
      for (int x = 0; x < 2 * size; x++) {
        long y = swizzle.apply(x);
        assertEquals(defined(swizzle, x), y, swizzle::toString);
        assertEquals(x, swizzle.apply(y), swizzle::toString);
        assertEquals(x / size, y / size, swizzle::toString);
        seen.set(Math.toIntExact(y));
      }
      assertEquals(2 * size, seen.cardinality());
      return true;
    });
  }

  @Test
  void aSwizzleIsLinearOverBits() {
    var law = new Law(15, "Sw(x ⊕ y) = Sw(x) ⊕ Sw(y)");
    law.holdsFor("B ≤ 4, M ≤ 4, |S| ≤ 6; 97 × 89 pairs each", 100, swizzles(), swizzle -> {
      int size = block(swizzle);
      for (long i = 0; i < 97; i++) {
        for (long j = 0; j < 89; j++) {
          long x = i * 7919 % size;
          long y = j * 104_729 % size;
          assertEquals(swizzle.apply(x) ^ swizzle.apply(y), swizzle.apply(x ^ y), swizzle::toString);
        }
      }
      return true;
    });
  }

  @Test
  void onlyTheReadFieldMatters() {
    var law = new Law(15, "offsets whose read field is 0 stay, and no bit outside the written field changes");
    law.holdsFor("B ≤ 4, M ≤ 4, |S| ≤ 6; one block of offsets each", 100, swizzles(), swizzle -> {
      long field = (1L << swizzle.bits()) - 1;
      long read = field << swizzle.base() + Math.max(0, swizzle.shift());
      long written = field << swizzle.base() - Math.min(0, swizzle.shift());
      for (int x = 0; x < block(swizzle); x++) {
        long changed = x ^ swizzle.apply(x);
        assertTrue((changed & ~written) == 0, swizzle::toString);
        assertEquals((x & read) == 0, changed == 0, swizzle::toString);
      }
      return true;
    });
  }

  @Test
  void swizzlesOfVectorsAreSwizzlesOfElements() {
    var law = new Law(15, "⌊Sw(x) / 2^k⌋ = upcast_2^k(Sw)(⌊x / 2^k⌋) for k ≤ M, and downcast brings Sw back");
    law.holdsFor("B ≤ 4, M ≤ 4, |S| ≤ 6; one block of offsets each, k ≤ M", 100, swizzles(), swizzle -> {
      for (int k = 0; k <= swizzle.base(); k++) {
        var vectors = swizzle.upcast(1L << k);
        for (int x = 0; x < block(swizzle); x++) {
          assertEquals(swizzle.apply(x) >> k, vectors.apply(x >> k), swizzle::toString);
        }
        assertEquals(swizzle, vectors.downcast(1L << k));
      }
      return true;
    });
  }
}
