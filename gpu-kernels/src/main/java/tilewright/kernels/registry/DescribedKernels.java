package tilewright.kernels.registry;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.lang.reflect.Modifier;
import java.util.stream.Stream;

/** The kernels of a package that has a class for each: what a {@link KernelCatalogue} needs not list. */
public final class DescribedKernels {
  private DescribedKernels() {}

  /**
   * The descriptions in the package of the lookup's class, in the order of their files: one object of each class that
   * is a {@link KernelDescription} and neither abstract nor inside another.
   *
   * @throws IllegalStateException naming a class that cannot be loaded or has no constructor without parameters
   */
  public static Stream<KernelDescription> beside(MethodHandles.Lookup lookup) {
    return PackageClasses.beside(lookup.lookupClass()).stream()
        .filter(c -> KernelDescription.class.isAssignableFrom(c) && !Modifier.isAbstract(c.getModifiers()))
        .map(c -> made(lookup, c));
  }

  private static KernelDescription made(MethodHandles.Lookup lookup, Class<?> description) {
    try {
      var constructor = lookup.findConstructor(description, MethodType.methodType(void.class));
      return (KernelDescription) constructor.invoke();
    } catch (ReflectiveOperationException e) {
      throw new IllegalStateException("cannot list the kernel of " + description.getName()
          + ": it needs a constructor without parameters that is not private", e);
    } catch (RuntimeException | Error e) {
      throw e;
    } catch (Throwable e) {
      throw new IllegalStateException("cannot describe the kernel of " + description.getName() + ": " + e, e);
    }
  }
}
