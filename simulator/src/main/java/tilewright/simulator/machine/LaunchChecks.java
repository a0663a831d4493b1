package tilewright.simulator.machine;

import tilewright.ptx.Dim3;
import tilewright.ptx.Launch;
import tilewright.ptx.Multiprocessor;
import tilewright.simulator.core.ClusterGrid;
import tilewright.simulator.core.Kernel;

/** Refuses launches that a driver would refuse. */
final class LaunchChecks {
  private static final int MOST_THREADS = 1024;
  /** A buffer is one Java array. */
  private static final int MOST_BUFFER = Integer.MAX_VALUE - 16;

  private LaunchChecks() {}

  /** @param architecture the simulated GPU's compute capability times ten */
  static void require(Kernel kernel, Launch launch, int architecture) {
    positive("grid", launch.grid());
    positive("block", launch.block());
    if (launch.block().size() > MOST_THREADS) {
      throw new IllegalArgumentException("block " + launch.block() + " has " + launch.block().size()
          + " threads, but at most 1024 fit on an SM");
    }
    ClusterGrid.of(kernel, launch);
    var memory = kernel.memory();
    int most = Multiprocessor.of(architecture).ctaSharedBytes();
    if (launch.dynamicSharedBytes() < 0
        || (long) memory.dynamicSharedOffset() - memory.gapBytes() + launch.dynamicSharedBytes() > most) {
      throw new IllegalArgumentException("kernel '" + kernel.name() + "' needs " + memory.dynamicSharedOffset() + " + "
          + launch.dynamicSharedBytes() + " bytes of shared memory, but a CTA of sm_" + architecture + " has at most "
          + most);
    }
    if (launch.arguments().size() != memory.parameters().size()) {
      throw new IllegalArgumentException("kernel '" + kernel.name() + "' has " + memory.parameters().size()
          + " parameters, but the launch passes " + launch.arguments().size());
    }
    launch.buffers().forEach((name, buffer) -> {
      if (buffer.byteSize() > MOST_BUFFER) {
        throw new IllegalArgumentException("buffer '" + name + "' has " + buffer.byteSize()
            + " bytes, but the simulator holds at most " + MOST_BUFFER + " in one");
      }
    });
  }

  private static void positive(String what, Dim3 extents) {
    if (extents.x() < 1 || extents.y() < 1 || extents.z() < 1) {
      throw new IllegalArgumentException(what + " " + extents + " is empty: every extent must be at least 1");
    }
  }
}
