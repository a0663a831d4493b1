package tilewright.ops.parallel;

import java.util.List;
import org.junit.jupiter.api.Tag;
import tilewright.ops.Ops;

/** Experts over the GPUs of this machine. */
@Tag("gpu")
class GpuExpertDispatchTest extends ExpertDispatchTest {
  @Override
  List<Ops> open(int size) {
    return GpuDevices.open(size);
  }

  @Override
  void close(List<Ops> devices) {
    devices.forEach(Ops::close);
  }
}
