/** Executes PTX on the CPU. */
module tilewright.simulator {
  requires transitive tilewright.ptx;
  requires tilewright.reference;

  exports tilewright.simulator;
}
