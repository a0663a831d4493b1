package tilewright.ops;

import tilewright.simulator.SimulatorOptions;

/** The operators in the simulator, whose sanitizer finds nothing. */
class SimulatedOperatorsTest extends OperatorContract {
  @Override
  Ops openOps() {
    return Ops.simulator(SimulatorOptions.defaults().withSanitizer(true));
  }
}
