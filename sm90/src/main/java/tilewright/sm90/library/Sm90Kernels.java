package tilewright.sm90.library;

import java.lang.invoke.MethodHandles;
import java.util.stream.Stream;
import tilewright.kernels.registry.DescribedKernels;
import tilewright.kernels.registry.Family;
import tilewright.kernels.registry.KernelCatalogue;
import tilewright.kernels.registry.KernelDescription;
import tilewright.sm90.rows.StreamedRowFamilies;

/** The kernels of this package, and the families whose long rows Hopper streams. */
public final class Sm90Kernels implements KernelCatalogue {
  @Override
  public Stream<KernelDescription> kernels() {
    return DescribedKernels.beside(MethodHandles.lookup());
  }

  @Override
  public KernelDescription extended(KernelDescription kernel) {
    return kernel instanceof Family family ? StreamedRowFamilies.withStreams(family) : kernel;
  }
}
