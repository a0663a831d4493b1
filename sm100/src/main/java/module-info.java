/** Blackwell: Tensor Memory, tcgen05 and launch control atoms, the collectives made of them, and the kernels. */
module tilewright.sm100 {
  requires transitive tilewright.kernels;

  exports tilewright.sm100;
  exports tilewright.sm100.atom;
  exports tilewright.sm100.attention;
  exports tilewright.sm100.attention.backward;
  exports tilewright.sm100.collective;

  provides tilewright.kernels.registry.KernelCatalogue with tilewright.sm100.library.Sm100Kernels;
}
