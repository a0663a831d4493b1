/** Blackwell: packed arithmetic and wide access atoms, and the kernels on them. */
module tilewright.sm100 {
  requires transitive tilewright.kernels;
  requires tilewright.sm90;

  exports tilewright.sm100;
}
