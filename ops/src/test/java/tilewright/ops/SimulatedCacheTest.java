package tilewright.ops;

import tilewright.simulator.SimulatorOptions;

/** Caches in the simulator, whose sanitizer finds nothing. */
class SimulatedCacheTest extends CacheContract {
  @Override
  Ops openOps() {
    return Ops.simulator(SimulatorOptions.defaults().withSanitizer(true));
  }
}
