/**
 * Differential runs: every kernel on the simulator and on a GPU, compared with the CPU reference; mutation;
 * benchmarks.
 */
module tilewright.verification {
  requires transitive tilewright.kernels;
  requires transitive tilewright.reference;
  requires transitive tilewright.simulator;
  requires tilewright.ops;
  requires tilewright.sm90;
  requires tilewright.sm100;
  requires tools.jackson.databind;
  requires jdk.management;

  exports tilewright.verification;
  exports tilewright.verification.bench;
  exports tilewright.verification.budget;
  exports tilewright.verification.golden;
  exports tilewright.verification.rows;
}
