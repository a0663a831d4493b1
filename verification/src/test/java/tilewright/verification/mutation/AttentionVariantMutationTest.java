package tilewright.verification.mutation;

import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;
import tilewright.verification.AttentionVariantTest;
import tilewright.verification.cases.FamilyCases;

/** The other ways to attend with one piece of their synchronisation wrong. */
class AttentionVariantMutationTest {
  private static MutationTrial trial(String name) {
    var family = AttentionVariantTest.family(name);
    var choice = AttentionVariantTest.choice(family, Map.of());
    return MutationTrial.of(family.workload(choice).launch(), () ->
        FamilyCases.buffers(family, choice, 7)).comparing("O").withSeeds(3);
  }

  @TestFactory
  Stream<DynamicTest> theKernelsThemselvesAreCleanAndGiveTheSameBits() {
    return AttentionVariantTest.WAYS.stream().map(n -> DynamicTest.dynamicTest(n, () ->
        trial(n).assertTheKernelItselfIsClean()));
  }

  @TestFactory
  Stream<DynamicTest> aMissingBarrierIsNoticed() {
    return AttentionVariantTest.WAYS.stream().map(n -> DynamicTest.dynamicTest(n, () ->
        trial(n).assertNoticed(Mutations::withoutABarrier)));
  }

  @TestFactory
  Stream<DynamicTest> aWeakerWaitIsNoticed() {
    return AttentionVariantTest.WAYS.stream().map(n -> DynamicTest.dynamicTest(n, () ->
        trial(n).assertNoticed(Mutations::withAWeakerWait)));
  }
}
