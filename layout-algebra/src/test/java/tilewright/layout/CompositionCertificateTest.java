package tilewright.layout;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import tilewright.layout.decision.Decision;

/** The carry vector Γ of a composition: what a checker adds up by hand, and what convicts a wrong result. */
class CompositionCertificateTest {

  /** Left operands are coalesced, so that their extents but the last are the digits' bases. */
  @ParameterizedTest
  @CsvSource(delimiter = '|', textBlock = """
      (4,4):(1,8)     | (4,4):(1,4)   | (4,4):(1,8)       | 0
      (4,4):(1,8)     | (4,4):(1,3)   | (4,4):(1,3)       | 3
      (6,6):(1,12)    | (6,3):(3,1)   | ((2,3),3):((3,12),1) | 0
      (6,6):(1,12)    | (6,3):(3,1)   | (6,3):(3,1)       | 2
      (2,2,2):(1,4,16) | 4:1          | (2,2):(1,4)       | 0,0
      (2,2,2):(1,4,16) | (2,2,2):(1,1,1) | (2,2,2):(1,1,1) | 1,0
      (2,2,2):(1,4,16) | (2,2,2,2):(1,1,1,1) | (2,2,2,2):(1,1,1,1) | 2,1
      8:3             | (2,4):(4,1)   | (2,4):(12,3)      | ''
      """)
  void addsUpTheLastDigitsOfEachMode(String outer, String inner, String result, String carries) {
    var certificate = new CompositionCertificate(Layout.parse(outer), Layout.parse(inner), Layout.parse(result));
    var expected = new ArrayList<String>();
    for (long carry : certificate.carries()) expected.add(Long.toString(carry));
    assertEquals(carries, String.join(",", expected));
  }

  @Test
  void isZeroModeByModeWhereACompositionIsCertified() {
    int[] certified = new int[1];
    Layouts.each(2, 4, 5, inner -> {
      for (var outer : List.of("(4,4):(1,8)", "(2,3,4):(1,5,20)", "(3,2):(4,1)", "(6,2,2):(1,12,7)", "5:2")) {
        var left = Layout.parse(outer);
        if (Composition.of(left, inner) instanceof Decision.Defined<Layout>(var result, var proof)
            && proof instanceof CompositionCertificate certificate) {
          certified[0]++;
          assertTrue(certificate.holds());
          assertEquals(result.shape(), certificate.refined().shape());
          assertCarriesNothing(left, certificate);
        }
      }
    });
    assertTrue(certified[0] > 500, certified[0] + " certified");
  }

  /** Digit by digit: at the refined right operand's last coordinate, where every digit is largest, none overflows. */
  private static void assertCarriesNothing(Layout outer, CompositionCertificate certificate) {
    long[] bases = outer.flatShape();
    assertEquals(bases.length - 1, certificate.carries().size());
    var refined = Modes.of(certificate.refined()).list();
    var offsets = Modes.of(certificate.result()).list();
    long below = 1;
    for (int digit = 0; digit + 1 < bases.length; digit++) {
      long sum = 0;
      for (var mode : refined) sum += (mode.extent() - 1) * (mode.stride() / below % bases[digit]);
      assertTrue(sum < bases[digit], certificate.explain());
      assertEquals(0, certificate.carries().get(digit));
      below *= bases[digit];
    }
    for (int i = 0; i < refined.size(); i++) {
      var mode = refined.get(i);
      if (mode.extent() > 1) assertEquals(outer.apply(mode.stride()), offsets.get(i).stride(), certificate.explain());
    }
  }

  @Test
  void oneNumberChangedIsOneProofLost() {
    assertTrue(holds("(4,4):(1,8)", "(4,4):(1,4)", "(4,4):(1,8)"));
    assertFalse(holds("(4,4):(1,8)", "(4,4):(1,3)", "(4,4):(1,3)"), "a carry");
    assertFalse(holds("(4,4):(1,8)", "(2,2):(-1,1)", "(2,2):(-1,1)"), "no digits below 0");
    assertTrue(holds("(4,4):(1,8)", "(1,2):(-1,1)", "(1,2):(5,1)"), "a mode of one element does not move");
    assertTrue(holds("4:3", "(2,2):(-1,1)", "(2,2):(-3,3)"), "one mode multiplies");
    assertTrue(holds("(4,4):(1,8)", "(2,0):(9,1)", "(2,0):(3,5)"), "nothing to prove");
    assertFalse(holds("(4,4):(1,8)", "4:1", "(2,2):(1,3)"), "a stride of a cut leaf");
    assertFalse(holds("(4,4):(1,8)", "4:1", "(2,3):(1,2)"), "another size");
    assertFalse(holds("(4,4):(1,8)", "(2,2):(1,1)", "(2,2):(1,9)"), "the last stride");
  }

  private static boolean holds(String outer, String inner, String result) {
    return new CompositionCertificate(Layout.parse(outer), Layout.parse(inner), Layout.parse(result)).holds();
  }

  @Test
  void isToldInASentence() {
    var certificate = new CompositionCertificate(Layout.parse("(6,6):(1,12)"), Layout.parse("(6,3):(3,1)"),
        Layout.parse("((2,3),3):((3,12),1)"));
    assertEquals("no digit of a coordinate of ((2,3),3) carries in (6,6):(1,12) (Γ = [0]), which maps the strides of "
        + "((2,3),3):((3,6),1) to those of ((2,3),3):((3,12),1)", certificate.explain());
  }
}
