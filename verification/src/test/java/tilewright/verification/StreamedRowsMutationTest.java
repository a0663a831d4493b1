package tilewright.verification;

import java.util.Map;
import org.junit.jupiter.api.Test;
import tilewright.kernels.catalogue.Choice;
import tilewright.kernels.catalogue.Family;
import tilewright.ptx.Dim3;
import tilewright.sm90.rows.HopperFamilies;

/** Rows streamed through one cluster, with one piece of its synchronisation wrong, until its rings have wrapped. */
class StreamedRowsMutationTest {
  private static final Family FAMILY = HopperFamilies.named("layer_norm").orElseThrow();
  private static final Choice CHOICE = FAMILY.defaults().with(Map.of("m", "12", "n", "256", "stream", "2"));
  private static final MutationTrial TRIAL = MutationTrial.of(FAMILY.workload(CHOICE).launch(), () ->
      FamilyCases.buffers(FAMILY, CHOICE, 7)).on(Dim3.of(2));

  @Test
  void theKernelItselfIsCleanUnderEverySchedule() {
    TRIAL.assertTheKernelItselfIsClean();
  }

  @Test
  void aMissingSignalIsNoticed() {
    TRIAL.assertNoticed(Mutations::withoutASignal);
  }

  @Test
  void aMissingBarrierIsNoticed() {
    TRIAL.assertNoticed(Mutations::withoutABarrier);
  }

  @Test
  void anEarlierWaitIsNoticed() {
    TRIAL.assertNoticed(Mutations::withAnEarlierWait);
  }

  @Test
  void otherBytesAreNoticed() {
    TRIAL.assertNoticed(Mutations::withOtherBytes);
  }
}
