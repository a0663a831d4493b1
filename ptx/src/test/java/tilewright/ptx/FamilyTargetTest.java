package tilewright.ptx;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class FamilyTargetTest {
  private static String ptx(String target, String body) {
    return """
        .version 8.8
        .target %s
        .address_size 64
        .visible .entry k()
        {
          .reg .b32 %%r<4>;
          .reg .b64 %%d<3>;
          .reg .pred %%p;
          %s
          ret;
        }
        """.formatted(target, body);
  }

  @ParameterizedTest
  @CsvSource({"sm_100a, 103, sm_103a", "sm_100a, 100, sm_100a", "sm_90a, 103, sm_90a", "sm_80, 103, sm_80"})
  void onlyBlackwellsTextIsRenamed(String target, int capability, String expected) {
    assertEquals(ptx(expected, ""), FamilyTarget.of(ptx(target, ""), capability));
  }

  @ParameterizedTest
  @CsvSource({"100, 100, true", "100, 103, true", "103, 100, false", "90, 100, false", "100, 120, false"})
  void codeForAnArchitectureRunsInItsFamily(int architecture, int capability, boolean runs) {
    assertEquals(runs, FamilyTarget.runs(architecture, capability));
  }

  @Test
  void whatTheOtherLacksIsAMistakeThere() {
    var integers = ptx("sm_100a", "tcgen05.mma.cta_group::1.kind::i8 [%r1], %d1, %d2, %r2, %p;");
    assertEquals(List.of(), PtxCheck.check(PtxParser.parse(integers)));
    var findings = PtxCheck.check(PtxParser.parse(FamilyTarget.of(integers, 103)));
    assertEquals(1, findings.size());
    assertTrue(findings.getFirst().toString().contains("sm_103a"), findings.toString());
  }
}
