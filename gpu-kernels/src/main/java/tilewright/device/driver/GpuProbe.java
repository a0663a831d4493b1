package tilewright.device.driver;

import java.util.List;

/** Whether kernels can run on a GPU of this machine. */
public sealed interface GpuProbe {

  /**
   * A driver and at least one device.
   *
   * @param driverVersion the newest CUDA the driver supports, such as {@code 13.0}
   */
  record Available(String driverVersion, List<GpuProperties> devices) implements GpuProbe {
    public Available {
      devices = List.copyOf(devices);
    }
  }

  /**
   * No usable GPU.
   *
   * @param reason one line, such as {@code no CUDA driver (libcuda.so.1)}
   */
  record Missing(String reason) implements GpuProbe {}
}
