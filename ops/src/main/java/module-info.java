/** What a Java program calls: kernels on arrays, in the simulator or on a GPU. */
module tilewright.ops {
  requires transitive tilewright.kernels;
  requires tilewright.sm90;
  requires transitive tilewright.sm100;
  requires transitive tilewright.simulator;

  exports tilewright.ops;
  exports tilewright.ops.collectives;
  exports tilewright.ops.parallel;
}
