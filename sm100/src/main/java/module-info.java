/**
 * Blackwell: Tensor Memory, tcgen05 and launch control atoms, the collectives made of them, and the kernels; and what
 * SM120 has instead.
 */
module tilewright.sm100 {
  requires transitive tilewright.kernels;

  exports tilewright.sm100;
  exports tilewright.sm100.atom;
  exports tilewright.sm100.attention;
  exports tilewright.sm100.attention.backward;
  exports tilewright.sm100.collective;
  exports tilewright.sm120;

  provides tilewright.kernels.registry.KernelCatalogue with tilewright.sm100.library.Sm100Kernels,
      tilewright.sm120.library.Sm120Kernels;
}
