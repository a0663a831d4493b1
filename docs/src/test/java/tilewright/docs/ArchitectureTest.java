package tilewright.docs;

import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAPackage;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.Architectures.layeredArchitecture;
import static org.junit.jupiter.api.Assertions.assertEquals;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.Location;
import java.net.URI;
import java.util.List;
import java.util.Map;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import tilewright.cli.Main;
import tilewright.junit.KernelTest;
import tilewright.kernel.Kernel;
import tilewright.layout.Layout;
import tilewright.ops.Simulate;
import tilewright.playground.Playground;
import tilewright.ptx.PtxModule;
import tilewright.reference.GemmReference;
import tilewright.simulator.Simulator;
import tilewright.sm100.PackedVectorAdd;
import tilewright.sm90.BulkVectorAdd;
import tilewright.verification.Verification;

/** Which part may use which; nothing else is allowed. */
class ArchitectureTest {
  /** Package prefixes, and what each may use besides itself. */
  private static final Map<String, List<String>> MAY_USE = new TreeMap<>(Map.ofEntries(
      Map.entry("layout", List.of()),
      Map.entry("playground", List.of("layout")),
      Map.entry("ptx", List.of()),
      Map.entry("numerics", List.of("layout")),
      Map.entry("reference", List.of("layout", "numerics")),
      Map.entry("simulator", List.of("ptx", "numerics", "reference")),
      Map.entry("kernel", List.of("layout", "ptx", "numerics")),
      Map.entry("kernels", List.of("layout", "ptx", "numerics", "reference", "kernel")),
      Map.entry("async", List.of("layout", "ptx", "numerics", "kernel", "kernels")),
      Map.entry("device", List.of("ptx", "kernel")),
      Map.entry("sm90", List.of("layout", "ptx", "numerics", "kernel", "kernels", "async")),
      Map.entry("sm100", List.of("layout", "ptx", "numerics", "kernel", "kernels", "async")),
      Map.entry("sm120", List.of("layout", "ptx", "numerics", "kernel", "kernels", "sm100"))));

  /** Parts above these, from the bottom: each may use everything below it. */
  private static final List<String> TOP = List.of("ops", "junit", "verification", "cli", "docs");

  /** The production code of every module; the tutorial's kernels are a user's. */
  static final JavaClasses CLASSES = new ClassFileImporter().importLocations(
      Stream.of(Layout.class, PtxModule.class, GemmReference.class, Simulator.class, Kernel.class, BulkVectorAdd.class,
          PackedVectorAdd.class, Simulate.class, KernelTest.class, Verification.class, Main.class, Playground.class,
          Site.class)
          .map(ArchitectureTest::origin).collect(Collectors.toSet())).that(resideInAPackage("tilewright.."));

  @Test
  void everyPartUsesOnlyWhatItMay() {
    var rule = layeredArchitecture().consideringOnlyDependenciesInLayers();
    for (var part : all()) rule = rule.layer(part).definedBy("tilewright." + part + "..");
    for (var part : MAY_USE.entrySet()) {
      var used = part.getValue();
      rule = used.isEmpty() ? rule.whereLayer(part.getKey()).mayNotAccessAnyLayer()
          : rule.whereLayer(part.getKey()).mayOnlyAccessLayers(used.toArray(String[]::new));
    }
    for (int i = 0; i < TOP.size(); i++) {
      var above = TOP.subList(i + 1, TOP.size());
      rule = above.isEmpty() ? rule.whereLayer(TOP.get(i)).mayNotBeAccessedByAnyLayer()
          : rule.whereLayer(TOP.get(i)).mayOnlyBeAccessedByLayers(above.toArray(String[]::new));
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
    assertEquals(all(), CLASSES.stream().map(c -> c.getPackageName().split("\\.")[1])
        .collect(Collectors.toCollection(TreeSet::new)));
  }

  /** Every part, by the name behind {@code tilewright.} of its packages. */
  static SortedSet<String> all() {
    var all = new TreeSet<>(MAY_USE.keySet());
    all.addAll(TOP);
    return all;
  }

  /** A folder of classes, or a jar. */
  private static Location origin(Class<?> type) {
    var url = type.getProtectionDomain().getCodeSource().getLocation().toString();
    return Location.of(URI.create(url.endsWith(".jar") ? "jar:" + url + "!/" : url));
  }
}
