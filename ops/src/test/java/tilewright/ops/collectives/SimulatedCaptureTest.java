package tilewright.ops.collectives;

import java.util.List;
import tilewright.ops.Ops;

class SimulatedCaptureTest extends CaptureContract {
  SimulatedCaptureTest() {
    super(3, CollectiveContract.HASTY);
  }

  @Override
  List<Communicator> open(int size, CollectiveOptions options) {
    return Communicator.among(Ops.simulators(size), options);
  }
}
