/** Hopper: mbarrier, TMA and wgmma atoms, the collectives made of them, and the kernels on those. */
module tilewright.sm90 {
  requires transitive tilewright.kernels;

  exports tilewright.sm90;
  exports tilewright.sm90.attention;
  exports tilewright.sm90.attention.backward;
  exports tilewright.sm90.atom;
  exports tilewright.sm90.collective;
  exports tilewright.sm90.ladder;
  exports tilewright.sm90.rows;

  provides tilewright.kernels.registry.KernelCatalogue with tilewright.sm90.library.Sm90Kernels;
}
