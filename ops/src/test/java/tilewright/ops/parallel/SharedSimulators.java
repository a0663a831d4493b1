package tilewright.ops.parallel;

import java.util.List;
import tilewright.ops.Ops;

/** Simulated devices for all tests here, so that each kernel is prepared once. */
final class SharedSimulators {
  private static final List<Ops> DEVICES = Ops.simulators(8);

  private SharedSimulators() {}

  static List<Ops> first(int size) {
    return DEVICES.subList(0, size);
  }
}
