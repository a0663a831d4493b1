package tilewright.kernels.registry;

import java.util.stream.Stream;

/**
 * The kernels of one module, or of a jar of the user's: the service by which {@link KernelRegistry} finds them. A
 * provider is a public class with a public constructor without parameters, named in
 * {@code META-INF/services/tilewright.kernels.registry.KernelCatalogue} of its jar and, where it has one, in its
 * {@code module-info}.
 */
public interface KernelCatalogue {

  Stream<? extends KernelDescription> kernels();

  /** A kernel of another of Tilewright's modules as this module extends it; most are returned as they are. */
  default KernelDescription extended(KernelDescription kernel) {
    return kernel;
  }
}
