package tilewright.verification.mutation;

import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;
import tilewright.kernels.registry.Choice;
import tilewright.kernels.registry.Family;
import tilewright.ptx.Dim3;
import tilewright.verification.RegisteredFamilies;
import tilewright.verification.cases.FamilyCases;

/** Rows streamed through one cluster, with one piece of its synchronisation wrong, until its rings have wrapped. */
class StreamedRowsMutationTest {
  private static final Family FAMILY = RegisteredFamilies.named("layer_norm");
  private static final Choice CHOICE = FAMILY.defaults().with(Map.of("m", "12", "n", "256", "stream", "2"));

  @TestFactory
  Stream<DynamicTest> everyMistakeIsNoticed() {
    return MutationTrial.of(FAMILY.workload(CHOICE).launch(), () -> FamilyCases.buffers(FAMILY, CHOICE, 7))
        .on(Dim3.of(2)).tests(Flaw.MISSING_SIGNAL, Flaw.MISSING_BARRIER, Flaw.EARLIER_WAIT, Flaw.OTHER_BYTES);
  }
}
