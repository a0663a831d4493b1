package tilewright.layout.morphism;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import tilewright.layout.Layout;
import tilewright.layout.decision.Decision;
import tilewright.layout.tuple.IntTuple;

/** Tractable layouts are exactly those that morphisms realise, each in one standard form. */
class StandardFormTest {
  private static final int EXTENT = 3;
  private static final int STRIDE = 6;

  @ParameterizedTest
  @CsvSource(delimiter = '|', value = {
      "((4,2),3):((30,3),1)  | ((4,2),3)→(3,2,5,4):(4,2,1)",
      "(3,(6,3),1):(0,(1,0),0) | (3,(6,3),1)→(6):(0,1,0,0)",
      "(8,1,8):(1,8,8)       | (8,1,8)→(8,1,8):(1,2,3)",
      "8:5                   | 8→(5,8):(2)",
      "():()                 | ()→():()",
      "(2,2):(1,4611686018427387904) | (2,2)→(2,2305843009213693952,2):(1,3)"})
  void theCodomainHoldsGapsAndExtentsInOrderOfStride(String layout, String form) {
    assertEquals(form, TupleMorphism.tryStandardForm(Layout.parse(layout)).orElseThrow().toString());
  }

  @ParameterizedTest
  @CsvSource(delimiter = '|', value = {
      "(2,2):(2,3)         | standard form of (2,2):(2,3) is undefined: sorted by stride, extent · stride of each mode"
          + " divides the next stride; mode 1: 2·2 of mode 0 does not divide 3",
      "(6,(5,3)):(1,(24,2)) | standard form of (6,(5,3)):(1,(24,2)) is undefined: sorted by stride, extent · stride of"
          + " each mode divides the next stride; mode 2: 6·1 of mode 0 does not divide 2",
      "(4,2):(1,-4)        | standard form of (4,2):(1,-4) is undefined: strides are at least 0; mode 1: got -4",
      "(4,0):(1,4)         | standard form of (4,0):(1,4) is undefined: extents are at least 1; mode 1: got 0"})
  void anUntractableLayoutIsRefusedWithTheModesThatClash(String layout, String message) {
    var decision = TupleMorphism.tryStandardForm(Layout.parse(layout));
    assertEquals(message, assertInstanceOf(Decision.Undefined.class, decision).message());
  }

  @Test
  void aLayoutIsTractableExactlyIfSomeMorphismRealisesIt() {
    var realised = new HashMap<Layout, Integer>();
    for (var codomain : Morphisms.tuples(4, STRIDE)) {
      for (var domain : Morphisms.tuples(2, EXTENT)) {
        if (domain.rank() > 0) Morphisms.each(domain, codomain, f -> count(f, realised));
      }
    }
    int[] counts = {0, 0};
    for (var domain : Morphisms.tuples(2, EXTENT)) {
      if (domain.rank() == 0) continue;
      for (int code = 0; code < Math.pow(STRIDE + 1, domain.rank()); code++) {
        int rest = code;
        var layout = new Layout(domain,
            domain.rank() == 1 ? IntTuple.flat(rest) : IntTuple.flat(rest % (STRIDE + 1), rest / (STRIDE + 1)));
        switch (TupleMorphism.tryStandardForm(layout)) {
          case Decision.Defined<TupleMorphism>(var form, var certificate) -> {
            counts[0]++;
            assertEquals(layout, form.layout());
            assertTrue(certificate.holds() && form.isInStandardForm());
            assertTrue(form.isDegenerate() || realised.get(layout) == 1, () -> layout + " has one standard form");
          }
          case Decision.Undefined<TupleMorphism> none -> {
            counts[1]++;
            assertTrue(!realised.containsKey(layout), none::message);
          }
        }
      }
    }
    assertTrue(counts[0] > 100 && counts[1] > 100, () -> Arrays.toString(counts));
  }

  /** Counts for each realised layout how many morphisms are, by the definition, in standard form. */
  private static void count(TupleMorphism f, Map<Layout, Integer> realised) {
    boolean standard = isStandardByDefinition(f);
    realised.merge(f.layout(), standard ? 1 : 0, Integer::sum);
    if (!f.isDegenerate()) assertEquals(standard, f.isInStandardForm(), f::toString);
  }

  /** The codomain ends with an image, and what lies between two images, or before the first, is one gap above 1. */
  private static boolean isStandardByDefinition(TupleMorphism f) {
    long[] extents = f.codomain().flatten();
    return IntStream.rangeClosed(1, extents.length).filter(p -> !f.map().contains(p))
        .allMatch(p -> extents[p - 1] > 1 && p < extents.length && f.map().contains(p + 1));
  }
}
