package tilewright.layout.morphism;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import tilewright.layout.tuple.IntTuple;

/** Certificates of refinements hold for right results and for no others. */
class RefinementCertificateTest {

  private static IntTuple tuple(String text) {
    return IntTuple.parse(text);
  }

  @ParameterizedTest
  @CsvSource(delimiter = '|', value = {"(2,2,3)|(4,3)|(4,3)|false", "((2,2),3)|(4,3)|(4,3)|true",
      "((2,2),3)|(4,3)|((2,2),5)|false", "((2,2),3)|((2,2),5)|(4,3)|false"})
  void aFinerBoundRefinesBoth(String bound, String first, String second, boolean holds) {
    var certificate = new RefinementBounds.BoundCertificate(tuple(first), tuple(second), tuple(bound), true);
    assertEquals(holds, certificate.holds());
    assertEquals(bound + " refines " + first + " and " + second, certificate.explain());
  }

  @ParameterizedTest
  @CsvSource(delimiter = '|', value = {"(4,3)|((2,2),3)|(4,3)|true", "(4,3)|((2,2),3)|(4,5)|false",
      "(4,3)|(4,5)|((2,2),3)|false", "(4,3)|12|12|false"})
  void bothRefineACoarserBound(String bound, String first, String second, boolean holds) {
    var certificate = new RefinementBounds.BoundCertificate(tuple(first), tuple(second), tuple(bound), false);
    assertEquals(holds, certificate.holds());
    assertEquals(first + " and " + second + " refine " + bound, certificate.explain());
  }

  @ParameterizedTest
  @CsvSource(delimiter = '|', value = {"6|(2,3)|(3,8)|((3),(2,4))|false", "6|(2,3)|(2,12)|(2,(3,4))|true",
      "6|(2,3)|(2,3)|(2,3)|true", "6|(2,3)|6|6|false", "6|(2,3)|(3,4)|(3,4)|false", "6|(2,2)|(2,12)|(2,(2,6))|false",
      "6|(2,3)|(2,10)|(2,(3,4))|false"})
  void theIntegersOfOneRefinementBeginThoseOfTheOther(String first, String finer, String second, String longer,
      boolean holds) {
    var certificate = new MutualRefinement.MutualCertificate(tuple(first), tuple(second),
        new Refinement.Mutual(tuple(finer), tuple(longer)));
    assertEquals(holds, certificate.holds());
  }
}
