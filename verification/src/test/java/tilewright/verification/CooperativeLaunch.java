package tilewright.verification;

import java.util.Set;
import tilewright.kernel.CompiledKernel;
import tilewright.kernel.PreparedLaunch;
import tilewright.ptx.LaunchFeature;

/** Launches whose CTAs the simulator runs at the same time, in short turns, so that they overtake each other. */
public final class CooperativeLaunch {
  private CooperativeLaunch() {}

  /** Returns a launch as a cooperative one. */
  public static PreparedLaunch of(PreparedLaunch launch) {
    var k = launch.kernel();
    var cooperative = new CompiledKernel(k.name(), k.module(), k.parameters(), k.block(), k.cluster(),
        k.dynamicSharedBytes(), Set.of(LaunchFeature.COOPERATIVE), k.ahead(), k.sharedTensors(), k.partitions(),
        k.tilings());
    return new PreparedLaunch(cooperative, launch.grid(), launch.arguments(), launch.scratch());
  }
}
