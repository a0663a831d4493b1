package tilewright.device.driver;

import java.lang.foreign.Arena;

/** Attributes of a device. The constants are {@code CUdevice_attribute} (cuda.h). */
public final class DeviceAttributes {
  private static final int MULTIPROCESSORS = 16;
  private static final int L2_BYTES = 38;
  private static final int CAPABILITY_MAJOR = 75;
  private static final int CAPABILITY_MINOR = 76;
  private static final int SHARED_BYTES_OPT_IN = 97;
  private static final int NAME_BYTES = 256;

  private DeviceAttributes() {}

  static GpuProperties properties(Driver driver, int index) {
    long device = device(driver, index);
    var doing = "inspecting device " + index;
    return new GpuProperties(index, name(driver, device), attribute(driver, device, CAPABILITY_MAJOR),
        attribute(driver, device, CAPABILITY_MINOR), driver.get("cuDeviceTotalMem_v2", doing, device),
        attribute(driver, device, MULTIPROCESSORS), attribute(driver, device, SHARED_BYTES_OPT_IN),
        attribute(driver, device, L2_BYTES));
  }

  /** The driver's handle. */
  public static int device(Driver driver, int index) {
    return (int) driver.get("cuDeviceGet", "looking for device " + index, index);
  }

  private static String name(Driver driver, long device) {
    try (var arena = Arena.ofConfined()) {
      var name = arena.allocate(NAME_BYTES);
      driver.call("cuDeviceGetName", "naming a device", name.address(), NAME_BYTES, device);
      return name.getString(0);
    }
  }

  private static int attribute(Driver driver, long device, int attribute) {
    return (int) driver.get("cuDeviceGetAttribute", "reading device attribute " + attribute, attribute, device);
  }
}
