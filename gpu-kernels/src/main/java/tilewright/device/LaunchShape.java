package tilewright.device;

import tilewright.ptx.Dim3;

/**
 * How many blocks of how many threads.
 *
 * @param grid in blocks
 * @param block in threads
 * @param cluster in blocks; {@link Dim3#ONE} for what the kernel itself requires
 * @param dynamicSharedBytes a block
 */
public record LaunchShape(Dim3 grid, Dim3 block, Dim3 cluster, int dynamicSharedBytes) {

  public static LaunchShape of(Dim3 grid, Dim3 block) {
    return new LaunchShape(grid, block, Dim3.ONE, 0);
  }

  @Override
  public String toString() {
    return "grid " + grid + ", block " + block + ", cluster " + cluster + ", " + dynamicSharedBytes
        + " bytes of dynamic shared memory";
  }
}
