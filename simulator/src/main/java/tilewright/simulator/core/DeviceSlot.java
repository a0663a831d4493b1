package tilewright.simulator.core;

import java.util.OptionalInt;

/**
 * The place of a launch among those of several devices that run at the same time.
 *
 * @param ordinal its device; empty for a launch that runs alone
 * @param firstCta the number of its first CTA, so that no two CTAs of the devices have the same
 */
public record DeviceSlot(OptionalInt ordinal, long firstCta) {
  public static final DeviceSlot ALONE = new DeviceSlot(OptionalInt.empty(), 0);

  /** Names the device behind a block, where there are several. */
  @Override
  public String toString() {
    return ordinal.isPresent() ? " of device " + ordinal.getAsInt() : "";
  }
}
