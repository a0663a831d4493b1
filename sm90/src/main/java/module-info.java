/** Hopper: mbarrier and bulk-copy atoms, and the kernels on them. */
module tilewright.sm90 {
  requires transitive tilewright.kernels;

  exports tilewright.sm90;
}
