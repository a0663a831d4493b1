package tilewright.verification;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.Architectures.layeredArchitecture;
import static org.junit.jupiter.api.Assertions.assertEquals;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.Location;
import java.net.URI;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import tilewright.kernel.Kernel;
import tilewright.layout.Layout;
import tilewright.ptx.PtxModule;
import tilewright.reference.GemmReference;
import tilewright.simulator.Simulator;
import tilewright.sm100.PackedVectorAdd;
import tilewright.sm90.BulkVectorAdd;

/** Which part may use which; nothing else is allowed. */
class ArchitectureTest {
  /** Package prefixes, and what each may use besides itself. */
  private static final Map<String, List<String>> MAY_USE = new TreeMap<>(Map.ofEntries(
      Map.entry("layout", List.of()),
      Map.entry("ptx", List.of()),
      Map.entry("numerics", List.of("layout")),
      Map.entry("reference", List.of("layout", "numerics")),
      Map.entry("simulator", List.of("ptx", "numerics", "reference")),
      Map.entry("kernel", List.of("layout", "ptx", "numerics")),
      Map.entry("kernels", List.of("layout", "ptx", "numerics", "reference", "kernel")),
      Map.entry("async", List.of("layout", "ptx", "numerics", "kernel", "kernels")),
      Map.entry("device", List.of("ptx", "kernel")),
      Map.entry("sm90", List.of("layout", "ptx", "numerics", "kernel", "kernels", "async")),
      Map.entry("sm100", List.of("layout", "ptx", "numerics", "kernel", "kernels", "async"))));

  /** The production code of every module up to this one; the command and the documentation come behind it. */
  static final JavaClasses CLASSES = new ClassFileImporter().importLocations(
      Stream.of(Layout.class, PtxModule.class, GemmReference.class, Simulator.class, Kernel.class, BulkVectorAdd.class,
          PackedVectorAdd.class, Verification.class).map(ArchitectureTest::origin).collect(Collectors.toSet()));

  @Test
  void everyPartUsesOnlyWhatItMay() {
    var rule = layeredArchitecture().consideringOnlyDependenciesInLayers()
        .layer("verification").definedBy("tilewright.verification..");
    for (var part : MAY_USE.keySet()) rule = rule.layer(part).definedBy("tilewright." + part + "..");
    for (var part : MAY_USE.entrySet()) {
      var used = part.getValue();
      rule = used.isEmpty() ? rule.whereLayer(part.getKey()).mayNotAccessAnyLayer()
          : rule.whereLayer(part.getKey()).mayOnlyAccessLayers(used.toArray(String[]::new));
    }
    rule.ensureAllClassesAreContainedInArchitecture().check(CLASSES);
  }

  @Test
  void onlyTheGpuRuntimeKnowsJcuda() {
    noClasses().that().resideOutsideOfPackage("tilewright.device..")
        .should().dependOnClassesThat().resideInAPackage("jcuda..").check(CLASSES);
  }

  @Test
  void everyPartWasLookedAt() {
    var parts = CLASSES.stream().map(c -> c.getPackageName().split("\\.")[1]).collect(Collectors.toSet());
    var expected = Stream.concat(MAY_USE.keySet().stream(), Stream.of("verification")).collect(Collectors.toSet());
    assertEquals(expected, parts);
  }

  /** A folder of classes, or a jar. */
  private static Location origin(Class<?> type) {
    var url = type.getProtectionDomain().getCodeSource().getLocation().toString();
    return Location.of(URI.create(url.endsWith(".jar") ? "jar:" + url + "!/" : url));
  }
}
