package tilewright.docs.record;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import org.junit.jupiter.api.Test;
import tilewright.docs.source.BrokenSiteException;

class ProofsTest {

  @Test
  void casesOfLawsAddUp() {
    var table = Proofs.laws(List.of("1\ta = a; b = b\trank ≤ 3\t2000\t1500", "2\t|b| < 2^k\trank ≤ 2^(a+b)\t10\t10"));
    assertTrue(table.contains("|1 |pass:[a = a; b = b] |pass:[rank ≤ 3] |1,500\n"), table);
    assertTrue(table.contains("pass:[\\|b\\| &lt; 2<sup>k</sup>] |pass:[rank ≤ 2<sup>a+b</sup>]"), table);
    assertTrue(table.endsWith("In all 1,510 cases.\n"), table);
  }

  @Test
  void aLawWithoutCountsIsAFault() {
    assertThrows(BrokenSiteException.class, () -> Proofs.laws(List.of("1\ta = a\trank ≤ 3")));
  }

  @Test
  void mutantsAreCountedByPackage() {
    var table = Proofs.mutants(List.of("A.java,p.A,m,f,1,KILLED,t", "A.java,p.A,m,f,2,SURVIVED,none",
        "B.java,p.q.B,m,f,2,TIMED_OUT,none", "B.java,p.q.B,m,f,3,NO_COVERAGE,none"));
    assertTrue(table.contains("|`p` |2 |1 |50.0 %"), table);
    assertTrue(table.contains("|`p.q` |2 |1 |50.0 %"), table);
    assertTrue(table.contains("|all |4 |2 |50.0 %"), table);
    assertTrue(table.endsWith("Classes that were changed: A, B.\n"), table);
  }

  @Test
  void timesBecomeRows() {
    var table = Proofs.times("""
        {"date":"2026-01-02","processor":"P","java":"25","rows":[{"operation":"f","ns":12.3,"error":0.4,"bytes":96.0}]}
        """);
    assertEquals("""
        .P, Java 25, 2026-01-02
        [cols="4,>1,>1,>1"]
        |===
        |Operation |ns |± |Bytes allocated

        |`f` |12 |0 |96
        |===
        """, table);
  }
}
