package tilewright.cli.verify;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import org.junit.jupiter.api.Test;

class TriedTargetsTest {
  private static final String TRIED = "sm_80 on H100 and H200, sm_90a on H100 and H200";

  @Test
  void namesTheTargetsOfAnAssemblerThatNeverRan() {
    assertEquals(TRIED + "; never: sm_86, sm_89, sm_103a, sm_120a",
        TriedTargets.of(List.of("sm_75", "sm_80", "sm_86", "sm_89", "sm_90a", "sm_103a", "sm_120a", "sm_120f")));
    assertEquals(TRIED, TriedTargets.of(List.of()));
  }

  @Test
  void knowsTheGpusThatRanKernels() {
    assertTrue(TriedTargets.isTried(90));
    assertFalse(TriedTargets.isTried(89));
    assertFalse(TriedTargets.isTried(100));
  }
}
