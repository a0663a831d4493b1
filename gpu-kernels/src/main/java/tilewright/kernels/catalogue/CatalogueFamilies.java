package tilewright.kernels.catalogue;

import java.util.stream.Stream;
import tilewright.kernels.registry.Family;
import tilewright.kernels.registry.KernelCatalogue;

/** The families of this package, for the registry. */
public final class CatalogueFamilies implements KernelCatalogue {
  /** Creates the catalogue, for the service loader. */
  public CatalogueFamilies() {}

  @Override
  public Stream<Family> kernels() {
    return Families.all().stream();
  }
}
