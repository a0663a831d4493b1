package tilewright.layout;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import tilewright.layout.decision.ByModeCertificate;
import tilewright.layout.decision.Certificate;
import tilewright.layout.decision.Decision;
import tilewright.layout.decision.TableCertificate;
import tilewright.layout.tuple.IntTuple;

/** Divisions, products and inverses by mode and as a whole carry certificates, which wrong results do not satisfy. */
class CertificateTest {
  private static final Dialect CPP = Dialect.CUTE_CPP;

  @ParameterizedTest
  @CsvSource(delimiter = '|', textBlock = """
      24:1               | 4:2               | (4,(2,3)):(2,(1,8))
      (4,2,3):(2,1,8)    | 4:2               | ((2,2),(2,3)):((4,1),(2,8))
      (6,6):(1,12)       | (6,3):(3,1)       | (((2,3),3),2):(((3,12),1),36)
      (9,(4,8)):(59,(13,1)) | [3:3;(2,4):(1,8)] | ((3,3),((2,4),(2,2))):((177,59),((13,2),(26,1)))
      """)
  void aDivisionIsCertified(String layout, String tiler, String expected) {
    var decision = Division.of(CPP).logical(Layout.parse(layout), Tiler.parse(tiler));
    assertCertified(expected, decision);
    assertArrayEquals(sorted(Layout.parse(layout)), sorted(decision.orElseThrow()));
  }

  @Test
  void aDivisionByModeIsRegroupedAsItIsNamed() {
    var layout = Layout.parse("(9,(4,8)):(59,(13,1))");
    var tiler = Tiler.parse("[3:3;(2,4):(1,8)]");
    assertCertified("((3,(2,4)),(3,(2,2))):((177,(13,2)),(59,(26,1)))", Division.of(CPP).zipped(layout, tiler));
    assertCertified("((3,(2,4)),3,(2,2)):((177,(13,2)),59,(26,1))", Division.of(CPP).tiled(layout, tiler));
    assertCertified("(3,(2,4),3,(2,2)):(177,(13,2),59,(26,1))", Division.of(CPP).flat(layout, tiler));
  }

  @Test
  void aProductByModeIsRegroupedAsItIsNamed() {
    var layout = Layout.parse("(2,5):(5,1)");
    var tiler = Tiler.parse("[3:1;4:1]");
    assertCertified("((2,3),(5,4)):((5,1),(1,5))", Product.of(CPP).logical(layout, tiler));
    assertCertified("((2,5),(3,4)):((5,1),(1,5))", Product.of(CPP).zipped(layout, tiler));
    assertCertified("((2,5),3,4):((5,1),1,5)", Product.of(CPP).tiled(layout, tiler));
    assertCertified("(2,5,3,4):(5,1,1,5)", Product.of(CPP).flat(layout, tiler));
  }

  @Test
  void aProductIsCertified() {
    var block = Layout.parse("(2,5):(5,1)");
    var tiles = Layout.parse("(3,4):(1,3)");
    assertCertified("((2,5),(3,4)):((5,1),(10,30))", Product.logical(block, tiles));
    assertCertified("((2,3),(5,4)):((5,10),(1,30))", Product.blocked(block, tiles));
    assertCertified("((3,2),(4,5)):((10,5),(30,1))", Product.raked(block, tiles));
    assertCertified("((8,2),(8,4)):((8,256),(1,64))",
        Product.tileToShape(Layout.parse("(8,8):(8,1)"), IntTuple.parse("(16,32)"), IntTuple.parse("(1,0)")));
  }

  @Test
  void inversesAreCertified() {
    assertCertified("(8,4):(4,1)", Inverse.right(Layout.parse("(4,8):(8,1)")));
    assertCertified("(5,8):(1,4)", Inverse.left(Layout.parse("(4,8):(1,5)")));
  }

  @Test
  void aModeWithoutResultIsNamed() {
    var layout = Layout.parse("(8,(4,6)):(1,(8,100))");
    var refused = assertInstanceOf(Decision.Undefined.class, Division.of(CPP).logical(layout, Tiler.parse("[2;3]")));
    assertEquals(1, refused.mode().orElseThrow());
    var product = Product.of(CPP).logical(Layout.parse("(4,4):(2,1)"), Tiler.parse("[3:1;2]"));
    assertEquals(0, assertInstanceOf(Decision.Undefined.class, product).mode().orElseThrow());
  }

  @Test
  void aTilerLongerThanTheLayoutIsRefused() {
    var refused = assertInstanceOf(Decision.Undefined.class,
        Division.of(CPP).logical(Layout.parse("(4,4):(1,4)"), Tiler.parse("[2;2;2]")));
    assertTrue(refused.message().contains("3 > 2"), refused.message());
  }

  @Test
  void aCorruptedResultHasNoCertificate() {
    var layout = Layout.parse("(6,6):(1,12)");
    var tile = Layout.parse("(6,3):(3,1)");
    assertTrue(composition(layout, tile, "((2,3),3):((3,12),1)").holds());
    assertFalse(composition(layout, tile, "((2,3),3):((3,12),2)").holds(), "a stride");
    assertFalse(composition(layout, tile, "((3,2),3):((3,12),1)").holds(), "an extent");
    assertFalse(composition(layout, tile, "(6,3):(3,1)").holds(), "a leaf that carries");
    assertFalse(composition(layout, tile, "(2,9):(3,1)").holds(), "another shape");
    assertTrue(new TilingCertificate(Layout.of(4, 2), Layout.parse("(2,3):(1,8)"), 24).holds());
    assertFalse(new TilingCertificate(Layout.of(4, 2), Layout.parse("(2,3):(1,9)"), 24).holds(), "a stride");
    assertFalse(new TilingCertificate(Layout.of(4, 2), Layout.parse("(2,2):(1,8)"), 24).holds(), "too short");
    var good = new TilingCertificate(Layout.of(4, 2), Layout.of(2, 1), 8);
    var bad = composition(layout, tile, "((2,3),3):((3,12),2)");
    assertTrue(new ByModeCertificate(List.of(good, good)).holds());
    assertFalse(new ByModeCertificate(List.of(good, bad)).holds(), "one mode of two");
    assertFalse(new TableCertificate("i is i", 5, i -> i == 4 ? 0 : i, i -> i).holds(), "the last of a table");
  }

  private static Certificate composition(Layout outer, Layout inner, String result) {
    return new CompositionCertificate(outer, inner, Layout.parse(result));
  }

  private static void assertCertified(String expected, Decision<Layout> decision) {
    var defined = assertInstanceOf(Decision.Defined.class, decision);
    assertEquals(Layout.parse(expected), defined.result());
    assertTrue(defined.certificate().holds(), defined.certificate().explain());
  }

  private static long[] sorted(Layout layout) {
    long[] offsets = layout.offsets();
    Arrays.sort(offsets);
    return offsets;
  }
}
