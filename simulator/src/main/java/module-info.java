/** Executes PTX on the CPU. */
module tilewright.simulator {
  requires transitive tilewright.ptx;
  requires tilewright.reference;
  // Optional: the tensor cores are faster where the JVM was started with it.
  requires static jdk.incubator.vector;

  exports tilewright.simulator;
  exports tilewright.simulator.fuzz;
  exports tilewright.simulator.witness;

  uses tilewright.simulator.Engine;
  provides tilewright.simulator.Engine with tilewright.simulator.engine.BytecodeEngine;
}
