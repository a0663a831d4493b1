package tilewright.device;

import java.util.Set;
import tilewright.ptx.Dim3;
import tilewright.ptx.LaunchFeature;

/**
 * How many blocks of how many threads.
 *
 * @param grid in blocks
 * @param block in threads
 * @param cluster in blocks; {@link Dim3#ONE} for what the kernel itself requires
 * @param dynamicSharedBytes a block
 * @param features besides
 */
public record LaunchShape(Dim3 grid, Dim3 block, Dim3 cluster, int dynamicSharedBytes, Set<LaunchFeature> features) {
  public LaunchShape {
    features = Set.copyOf(features);
  }

  public LaunchShape(Dim3 grid, Dim3 block, Dim3 cluster, int dynamicSharedBytes) {
    this(grid, block, cluster, dynamicSharedBytes, Set.of());
  }

  public static LaunchShape of(Dim3 grid, Dim3 block) {
    return new LaunchShape(grid, block, Dim3.ONE, 0);
  }

  /** Returns this shape with these features instead. */
  public LaunchShape with(LaunchFeature... chosen) {
    return new LaunchShape(grid, block, cluster, dynamicSharedBytes, Set.of(chosen));
  }

  @Override
  public String toString() {
    return "grid " + grid + ", block " + block + ", cluster " + cluster + ", " + dynamicSharedBytes
        + " bytes of dynamic shared memory" + (features.isEmpty() ? "" : ", " + features);
  }
}
