package tilewright.kernels.library;

import java.lang.invoke.MethodHandles;
import java.util.stream.Stream;
import tilewright.kernels.registry.DescribedKernels;
import tilewright.kernels.registry.KernelCatalogue;
import tilewright.kernels.registry.KernelDescription;

/** The kernels of this package, for the registry. */
public final class LibraryKernels implements KernelCatalogue {
  /** Creates the catalogue, for the service loader. */
  public LibraryKernels() {}

  @Override
  public Stream<KernelDescription> kernels() {
    return DescribedKernels.beside(MethodHandles.lookup());
  }
}
