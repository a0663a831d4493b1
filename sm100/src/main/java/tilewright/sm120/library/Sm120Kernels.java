package tilewright.sm120.library;

import java.lang.invoke.MethodHandles;
import java.util.stream.Stream;
import tilewright.kernels.registry.DescribedKernels;
import tilewright.kernels.registry.KernelCatalogue;
import tilewright.kernels.registry.KernelDescription;

/** The kernels of this package, for the registry. */
public final class Sm120Kernels implements KernelCatalogue {
  @Override
  public Stream<KernelDescription> kernels() {
    return DescribedKernels.beside(MethodHandles.lookup());
  }
}
