package tilewright.verification;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.tngtech.archunit.core.domain.JavaModifier;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import java.lang.foreign.ValueLayout;
import java.util.HashSet;
import java.util.Map;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import tilewright.kernels.catalogue.Families;
import tilewright.kernels.registry.Family;
import tilewright.verification.backend.SimulatorBackend;
import tilewright.verification.cases.Catalogue;
import tilewright.verification.cases.FamilyCases;

/** The list of families and what they refuse. */
class FamilyListTest {
  @Test
  void namesAreDistinctAndNotThoseOfSingleKernels() {
    var names = new HashSet<String>();
    RegisteredFamilies.all().forEach(f -> assertTrue(names.add(f.name()), f.name()));
    Catalogue.single(0).forEach(c -> assertTrue(!names.contains(c.kernel()), c.kernel()));
  }

  /** By their class files alone: a family that no kernel declares would be missing everywhere. */
  @Test
  void noFamilyIsMissing() {
    var there = new ClassFileImporter().importPackages(Families.class.getPackageName()).stream()
        .filter(c -> c.isAssignableTo(Family.class) && !c.getModifiers().contains(JavaModifier.ABSTRACT))
        .map(c -> c.getName().replaceFirst("[$].*", "")).collect(Collectors.toSet());
    var found = Families.all().stream().map(f -> f.getClass().getNestHost().getName()).collect(Collectors.toSet());
    assertEquals(there, found);
  }

  @Test
  void everyVariantIsSupportedAndCounted() {
    int count = 0;
    for (var family : RegisteredFamilies.all()) {
      for (var variant : family.variants()) family.requireSupported(variant);
      count += family.variants().size();
    }
    assertEquals(count, Families.variants());
  }

  @Test
  void aValueThatIsNoOptionIsRefusedWithThoseThereAre() {
    var relu = RegisteredFamilies.named("relu");
    var refusal = assertThrows(IllegalArgumentException.class,
        () -> relu.requireSupported(relu.defaults().with(Map.of("dtype", "e4m3"))));
    assertEquals("invalid dtype=e4m3: f32 or f16 or bf16", refusal.getMessage());
    assertThrows(IllegalArgumentException.class, () -> relu.requireSupported(relu.defaults().with(Map.of("n", "-1"))));
  }

  /** Whole rows of 1024 either way: what differs is how many neighbours one instruction moves. */
  @Test
  void vecSaysHowWideAnAccessIs() {
    assertEquals("st.global.v4.f32", storeOfEmbedding("f32", "16"));
    assertEquals("st.global.f32", storeOfEmbedding("f32", "1"));
    assertEquals("st.global.v4.b32", storeOfEmbedding("f16", "16"));
    assertEquals("st.global.b16", storeOfEmbedding("f16", "1"));
  }

  private static String storeOfEmbedding(String type, String width) {
    var embedding = RegisteredFamilies.named("embedding");
    var choice = embedding.defaults().with(Map.of("n", "1024", "dtype", type, "vec", width));
    return embedding.workload(choice).launch().kernel().ptx().lines()
        .filter(line -> line.contains("st.global")).map(line -> line.strip().split(" ")[1]).distinct()
        .collect(Collectors.joining(" "));
  }

  /** What the next launch relies on is part of the result: sums are taken right only by a counter that is 0 again. */
  @Test
  void aCounterThatIsLeftBehindFails() {
    var c = FamilyCases.of(RegisteredFamilies.named("sum"), 20).get(2);
    var inputs = c.inputs().get();
    var buffers = c.inputs().get();
    new SimulatorBackend(3).run(c.launches().get().on(buffers).getFirst());
    assertTrue(c.check().compare(inputs, buffers, 80).violation().isEmpty());
    buffers.get("tickets").set(ValueLayout.JAVA_INT, 0, 1);
    assertEquals("tickets: not zeros again after the launch",
        c.check().compare(inputs, buffers, 80).violation().orElse(""));
  }

  /** The comparison must be able to say no: one wrong bit of one element fails. */
  @Test
  void aResultThatIsSlightlyWrongFails() {
    var c = FamilyCases.of(RegisteredFamilies.named("add"), 20).get(2);
    var inputs = c.inputs().get();
    var buffers = c.inputs().get();
    new SimulatorBackend(3).run(c.launches().get().on(buffers).getFirst());
    assertTrue(c.check().compare(inputs, buffers, 80).violation().isEmpty());
    var y = buffers.get("Y");
    y.set(ValueLayout.JAVA_BYTE, 400, (byte) (y.get(ValueLayout.JAVA_BYTE, 400) ^ 1));
    assertTrue(c.check().compare(inputs, buffers, 80).violation().isPresent());
  }
}
