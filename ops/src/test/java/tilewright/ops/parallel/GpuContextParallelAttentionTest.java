package tilewright.ops.parallel;

import java.util.List;
import org.junit.jupiter.api.Tag;
import tilewright.ops.Ops;

/** Attention over the GPUs of this machine. */
@Tag("gpu")
class GpuContextParallelAttentionTest extends ContextParallelAttentionTest {
  @Override
  List<Ops> open(int size) {
    return GpuDevices.open(size);
  }

  @Override
  void close(List<Ops> devices) {
    devices.forEach(Ops::close);
  }
}
