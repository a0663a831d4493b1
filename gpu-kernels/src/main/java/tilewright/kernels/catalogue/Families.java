package tilewright.kernels.catalogue;

import java.lang.invoke.MethodHandles;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import tilewright.kernel.Kernel;
import tilewright.kernels.registry.Family;
import tilewright.kernels.registry.PackageClasses;
import tilewright.kernels.registry.Setting;

/** Every family of the catalogue: each {@link Kernel} of this package declares its own, as {@code FAMILIES}. */
public final class Families {
  private Families() {}

  /** All families of the catalogue: those of vectors first, then of matrices and so on, in the order of their files. */
  public static List<Family> all() {
    return PackageClasses.beside(Families.class).stream().filter(Kernel.class::isAssignableFrom)
        .flatMap(Families::of).sorted(Comparator.comparing(Families::dimensions)).toList();
  }

  public static Optional<Family> named(String name) {
    return all().stream().filter(f -> f.name().equals(name)).findFirst();
  }

  /** How many kernels there are, counting every combination of options. */
  public static int variants() {
    return all().stream().mapToInt(f -> f.variants().size()).sum();
  }

  /** @throws IllegalStateException where the kernel declares none, rather than that it is missing everywhere */
  static Stream<Family> of(Class<?> kernel) {
    try {
      var families = (List<?>) MethodHandles.lookup().findStaticVarHandle(kernel, "FAMILIES", List.class).get();
      return families.stream().map(Family.class::cast);
    } catch (ReflectiveOperationException e) {
      throw new IllegalStateException("cannot list the kernel " + kernel.getName()
          + ": it needs a static final List<Family> FAMILIES that is not private", e);
    }
  }

  private static long dimensions(Family family) {
    return family.settings().stream().filter(Setting::extent).count();
  }
}
