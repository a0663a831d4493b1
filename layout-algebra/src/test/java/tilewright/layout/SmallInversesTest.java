package tilewright.layout;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.HashSet;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import tilewright.layout.decision.Decision;

/** Left and quasi-inverses of all small layouts, against their tables, and of large ones. */
class SmallInversesTest {

  @Test
  void aLeftInverseLeadsBack() {
    Layouts.each(2, 4, 7, layout -> {
      var offsets = new HashSet<Long>();
      for (long offset : layout.offsets()) offsets.add(offset);
      boolean injective = offsets.size() == layout.size();
      switch (Inverse.left(layout)) {
        case Decision.Defined<Layout>(var inverse, var certificate) -> {
          assertTrue(injective && certificate.holds(), layout::toString);
          for (long i = 0; i < layout.size(); i++) assertEquals(i, inverse.apply(layout.apply(i)), layout::toString);
        }
        case Decision.Undefined<Layout> refused ->
            assertEquals(injective, refused.witness().isEmpty(), refused::message);
      }
    });
  }

  @Test
  void aQuasiInverseLeadsToTheSameOffset() {
    Layouts.each(2, 5, 7, layout -> {
      if (!(QuasiInverse.of(layout) instanceof Decision.Defined<Layout>(var inverse, var certificate))) return;
      assertTrue(certificate.holds(), layout::toString);
      for (long offset : layout.offsets()) {
        assertEquals(offset, layout.apply(inverse.apply(offset)), layout::toString);
      }
    });
  }

  @ParameterizedTest
  @CsvSource(delimiter = '|', textBlock = """
      (64,128):(128,1)   | (128,64):(64,1)
      (64,128):(256,2)   | (2,128,64):(0,64,1)
      (128,64):(1,200)   | (200,64):(1,128)
      """)
  void chainsOfStridesHaveALeftInverseOfAnySize(String layout, String inverse) {
    var parsed = Layout.parse(layout);
    var found = parsed.leftInverse();
    for (long i = 0; i < parsed.size(); i++) assertEquals(i, found.apply(parsed.apply(i)));
    assertTrue(found.size() <= Layout.parse(inverse).size(), found::toString);
  }

  @Test
  void offTheChainTablesOf4096AreTried() {
    var layout = Layout.parse("(2048,2):(3,2)");
    assertTrue(layout.isInjective());
    assertInstanceOf(Decision.Defined.class, QuasiInverse.of(Layout.parse("(2048,2):(1,1)")));
    var refused = assertInstanceOf(Decision.Undefined.class, QuasiInverse.of(Layout.parse("(2049,2):(1,1)")));
    assertTrue(refused.message().contains("it has 4098"), refused.message());
  }

  @ParameterizedTest
  @ValueSource(strings = {"(2,2,2,2):(1,1,2,4)", "(2,2,2,2):(2,1,1,4)", "(2,3,2,2):(1,1,3,6)", "(3,2,2,2):(4,1,2,12)",
      "(2,2,2,3):(4,2,1,4)", "(2,2,3,2):(1,2,2,8)"})
  void aRightInverseOfFourModesIsTheLongest(String text) {
    var layout = Layout.parse(text);
    var inverse = layout.rightInverse();
    for (long i = 0; i < inverse.size(); i++) assertEquals(i, layout.apply(inverse.apply(i)));
    assertEquals(RightInverseTest.longest(layout, List.of(0L)), inverse.size());
  }
}
