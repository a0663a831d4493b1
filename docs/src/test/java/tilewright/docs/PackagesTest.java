package tilewright.docs;

import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;
import static org.junit.jupiter.api.Assertions.assertEquals;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.Source;
import com.tngtech.archunit.library.dependencies.SliceAssignment;
import com.tngtech.archunit.library.dependencies.SliceIdentifier;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Packages are small, and no two of a part use each other, directly or by way of others. */
class PackagesTest {
  private static final int MOST_FILES = 40;

  @ParameterizedTest
  @MethodSource("parts")
  void packagesAreSmall(String part) {
    var files = of(part).stream().filter(c -> !c.getSimpleName().equals("package-info"))
        .collect(Collectors.groupingBy(JavaClass::getPackageName, TreeMap::new,
            Collectors.mapping(PackagesTest::file, Collectors.toSet())));
    files.forEach((name, held) -> System.out.printf("%3d files in %s%n", held.size(), name));
    var large = files.entrySet().stream().filter(p -> p.getValue().size() > MOST_FILES).map(Map.Entry::getKey);
    assertEquals(Set.of(), large.collect(Collectors.toSet()), "packages of more than " + MOST_FILES + " files");
  }

  @ParameterizedTest
  @MethodSource("parts")
  void packagesHaveNoCycle(String part) {
    slices().assignedFrom(new ByPackage()).should().beFreeOfCycles().check(of(part));
  }

  static Set<String> parts() {
    return ArchitectureTest.all();
  }

  private static JavaClasses of(String part) {
    var root = "tilewright." + part;
    return ArchitectureTest.CLASSES.that(DescribedPredicate.describe("are in " + root,
        c -> c.getPackageName().equals(root) || c.getPackageName().startsWith(root + ".")));
  }

  private static String file(JavaClass type) {
    return type.getSource().flatMap(Source::getFileName).orElse(type.getName());
  }

  /** Every package is a slice of its own. */
  private static final class ByPackage implements SliceAssignment {
    @Override
    public SliceIdentifier getIdentifierOf(JavaClass type) {
      return SliceIdentifier.of(type.getPackageName());
    }

    @Override
    public String getDescription() {
      return "packages";
    }
  }
}
