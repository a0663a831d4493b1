package tilewright.layout.synthesis;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.math.BigInteger;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.stream.LongStream;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Example;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import tilewright.layout.Layout;
import tilewright.layout.Layouts;
import tilewright.layout.decision.Decision;

/** Bijective layouts as permutations, against their tables and against the polynomial of their offsets. */
class PermutationProperties {

  /**
   * Σ z^offset = ∏ (1 − z^(extent·stride)) / (1 − z^stride), which for a bijection is (1 − z^size) / (1 − z). As no
   * such factors multiply to others, the exponents above and below must be the same, counted with multiplicity.
   */
  @Example
  void aLayoutIsAPermutationExactlyIfItsPolynomialIsThatOfAllIntegersBelowItsSize() {
    int[] counts = {0, 0};
    Layouts.each(3, 4, 12, layout -> {
      var decision = Permutation.of(layout);
      boolean everyOffsetOnce = Arrays.equals(LongStream.range(0, layout.size()).toArray(),
          LongStream.of(layout.offsets()).sorted().toArray());
      assertEquals(everyOffsetOnce, decision instanceof Decision.Defined, layout::toString);
      assertEquals(everyOffsetOnce, hasThePolynomialOfABijection(layout), layout::toString);
      counts[everyOffsetOnce ? 0 : 1]++;
      if (decision instanceof Decision.Defined<Permutation> defined) assertTrue(defined.certificate().holds());
    });
    assertTrue(counts[0] > 100 && counts[1] > 1000, () -> Arrays.toString(counts));
  }

  private static boolean hasThePolynomialOfABijection(Layout layout) {
    var above = new ArrayList<>(List.of(1L));
    var below = new ArrayList<>(List.of(layout.size()));
    long[] extents = layout.flatShape();
    long[] strides = layout.flatStride();
    for (int i = 0; i < extents.length; i++) {
      if (extents[i] == 1) continue;
      if (strides[i] == 0) return false;
      above.add(extents[i] * strides[i]);
      below.add(strides[i]);
    }
    above.sort(null);
    below.sort(null);
    return above.equals(below);
  }

  @Property
  void applyingItItsOrderOftenGivesEveryIndexBackAndNoSooner(@ForAll("compact") Layout layout) {
    var permutation = Permutation.of(layout).orElseThrow();
    long order = permutation.order();
    long[] identity = LongStream.range(0, layout.size()).toArray();
    assertArrayEquals(identity, power(layout.offsets(), order));
    for (long prime = 2; prime <= layout.size(); prime++) {
      boolean divides = order % prime == 0 && BigInteger.valueOf(prime).isProbablePrime(40);
      if (divides) assertFalse(Arrays.equals(identity, power(layout.offsets(), order / prime)), "sooner");
    }
  }

  /** By repeated squaring. */
  private static long[] power(long[] table, long exponent) {
    long[] power = LongStream.range(0, table.length).toArray();
    long[] square = table;
    for (long rest = exponent; rest > 0; rest /= 2) {
      if (rest % 2 == 1) power = after(square, power);
      square = after(square, square);
    }
    return power;
  }

  private static long[] after(long[] outer, long[] inner) {
    return LongStream.of(inner).map(i -> outer[Math.toIntExact(i)]).toArray();
  }

  @Property
  void itsCyclesAreDisjointAndFollowTheLayout(@ForAll("compact") Layout layout) {
    var cycles = Permutation.of(layout).orElseThrow().cycles();
    for (var cycle : cycles) {
      for (int i = 0; i < cycle.size(); i++) {
        assertEquals(cycle.get((i + 1) % cycle.size()).longValue(), layout.apply(cycle.get(i)));
        assertTrue(cycle.getFirst() <= cycle.get(i));
      }
    }
    assertArrayEquals(LongStream.range(0, layout.size()).toArray(),
        cycles.stream().flatMap(List::stream).mapToLong(i -> i).sorted().toArray());
    var begins = cycles.stream().map(List::getFirst).toList();
    assertEquals(begins.stream().sorted().toList(), begins);
  }

  @Property
  void itIsEvenExactlyIfAnEvenNumberOfPairsIsOutOfOrder(@ForAll("compact") Layout layout) {
    long[] offsets = layout.offsets();
    long inversions = 0;
    for (int i = 0; i < offsets.length; i++) {
      for (int j = 0; j < i; j++) {
        if (offsets[j] > offsets[i]) inversions++;
      }
    }
    assertEquals(inversions % 2 == 0, Permutation.of(layout).orElseThrow().isEven());
  }

  /** Transposing m×n takes index i to n·i modulo mn − 1, so its order is that of n there. */
  @Example
  void theOrderOfATranspositionIsTheMultiplicativeOrder() {
    for (long m = 2; m <= 12; m++) {
      for (long n = 2; n <= 12; n++) {
        long modulus = m * n - 1;
        long order = 1;
        var power = BigInteger.valueOf(n).mod(BigInteger.valueOf(modulus));
        while (!power.equals(BigInteger.ONE)) {
          power = power.multiply(BigInteger.valueOf(n)).mod(BigInteger.valueOf(modulus));
          order++;
        }
        assertEquals(order, Permutation.of(Layout.rowMajor(m, n)).orElseThrow().order(), m + "×" + n);
      }
    }
  }

  @Example
  void cyclesAreListedWithFixedPoints() {
    var transposition = Permutation.of(Layout.parse("(2,3):(3,1)")).orElseThrow();
    assertEquals(List.of(List.of(0), List.of(1, 3, 4, 2), List.of(5)), transposition.cycles());
    assertEquals(Map.of(1, 2, 4, 1), transposition.cycleType());
    assertEquals("permutation (2,3):(3,1)", transposition.toString());
    assertEquals(List.of(), Permutation.of(Layout.parse("(0,3):(1,7)")).orElseThrow().cycles());
  }

  @Example
  void aLayoutThatIsNoPermutationIsRefusedWithTheModeAtFault() {
    var refusal = (Decision.Undefined<Permutation>) Permutation.of(Layout.parse("(4,(2,3)):(1,(16,4))"));
    assertEquals("the permutation (4,(2,3)):(1,(16,4)) is undefined: sorted by stride, each mode begins where the modes"
        + " before end; mode 1: stride 16 where 12 is due", refusal.message());
  }

  @Example
  void cyclesBeyondWhatCanBeListedAreRefused() {
    var large = Permutation.of(Layout.parse("(65536,65536):(65536,1)")).orElseThrow();
    assertTrue(assertThrows(IllegalArgumentException.class, large::cycles).getMessage().contains("4294967296 indices"));
  }

  @Provide
  Arbitrary<Layout> compact() {
    return Layouts.compact();
  }
}
