/**
 * The kernel language, architecture-independent and SM80 atoms and kernels, what SM90 and SM100 share, and the GPU
 * runtime.
 */
module tilewright.kernels {
  requires transitive tilewright.layout;
  requires transitive tilewright.ptx;
  requires transitive tilewright.reference;
  requires jcuda;

  exports tilewright.async;
  exports tilewright.async.atom;
  exports tilewright.async.attention;
  exports tilewright.async.collective;
  exports tilewright.async.schedule;
  exports tilewright.kernel;
  exports tilewright.kernel.atom;
  exports tilewright.kernel.tiled;
  exports tilewright.kernel.collective;
  exports tilewright.kernel.collective.attention;
  exports tilewright.kernels;
  exports tilewright.kernels.attention;
  exports tilewright.kernels.attention.appending;
  exports tilewright.kernels.attention.backward;
  exports tilewright.kernels.attention.decoding;
  exports tilewright.kernels.attention.merging;
  exports tilewright.kernels.attention.quantization;
  exports tilewright.kernels.attention.scheduling;
  exports tilewright.kernels.attention.serving;
  exports tilewright.kernels.catalogue;
  exports tilewright.kernels.choice;
  exports tilewright.kernels.epilogue;
  exports tilewright.kernels.gemm;
  exports tilewright.kernels.library;
  exports tilewright.kernels.peer;
  exports tilewright.kernels.registry;
  exports tilewright.device;
  exports tilewright.device.assembly;
  exports tilewright.device.cubin;
  exports tilewright.device.driver;

  uses tilewright.kernels.registry.KernelCatalogue;

  provides tilewright.kernels.registry.KernelCatalogue with tilewright.kernels.catalogue.CatalogueFamilies,
      tilewright.kernels.library.LibraryKernels;
}
