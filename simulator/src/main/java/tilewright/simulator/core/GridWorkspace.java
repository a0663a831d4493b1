package tilewright.simulator.core;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import tilewright.ptx.Launch;
import tilewright.ptx.LaunchFeature;

/**
 * The global memory that a driver gives every cooperative launch, and whose address {@code %envreg1} (upper half) and
 * {@code %envreg2} (lower half) hold: {@code grid_group::sync} of CUDA's cooperative groups counts the blocks there
 * (cooperative_groups/details/helpers.h, {@code grid_workspace}: its size, then the barrier). Other launches have none,
 * and the registers are 0, at which CUDA's code traps.
 */
public final class GridWorkspace {
  /** How reports call it. It follows the launch's own buffers, so a buffer may have the same name. */
  public static final String NAME = "grid workspace";
  private static final int BYTES = 8;

  private GridWorkspace() {}

  public static boolean needed(Launch launch) {
    return launch.features().contains(LaunchFeature.COOPERATIVE);
  }

  public static byte[] initial() {
    return ByteBuffer.allocate(BYTES).order(ByteOrder.LITTLE_ENDIAN).putInt(BYTES).putInt(0).array();
  }
}
