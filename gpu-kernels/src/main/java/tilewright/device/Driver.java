package tilewright.device;

import java.lang.foreign.Arena;
import java.lang.foreign.SymbolLookup;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import jcuda.driver.CUdevice;
import jcuda.driver.CUdevice_attribute;
import jcuda.driver.CUresult;
import jcuda.driver.JCudaDriver;

/** The CUDA driver of this machine, by JCuda. */
final class Driver {
  static final String LIBRARY = "libcuda.so.1";

  /** The first driver that takes PTX 8.0, which every kernel here has at least. */
  private static final int OLDEST = 12_000;

  private Driver() {}

  static GpuProbe probe() {
    if (!libraryExists()) return new GpuProbe.Missing("no CUDA driver (" + LIBRARY + ")");
    try {
      JcudaNatives.unpack("JCudaDriver");
      return probeDevices();
    } catch (LinkageError e) {
      var firstLine = String.valueOf(e.getMessage()).lines().findFirst().orElse("");
      return new GpuProbe.Missing("JCuda does not load: " + firstLine);
    }
  }

  /** The driver's own library is tried first: JCuda's complaint about its lack names only a library of JCuda's. */
  @SuppressWarnings("restricted")
  private static boolean libraryExists() {
    try (var arena = Arena.ofConfined()) {
      SymbolLookup.libraryLookup(LIBRARY, arena);
      return true;
    } catch (IllegalArgumentException _) {
      return false;
    }
  }

  private static GpuProbe probeDevices() {
    int initialised = JCudaDriver.cuInit(0);
    if (initialised == CUresult.CUDA_ERROR_NO_DEVICE) return new GpuProbe.Missing("a CUDA driver, but no CUDA device");
    if (initialised != CUresult.CUDA_SUCCESS) return new GpuProbe.Missing("cuInit: " + describe(initialised));
    int version = version();
    if (version < OLDEST) {
      return new GpuProbe.Missing(
          "the driver supports CUDA " + text(version) + ", but " + text(OLDEST) + " or newer is needed");
    }
    int[] count = {0};
    check(JCudaDriver.cuDeviceGetCount(count), "cuDeviceGetCount", "counting devices");
    if (count[0] == 0) return new GpuProbe.Missing("a CUDA driver, but no CUDA device");
    var devices = new ArrayList<GpuProperties>();
    for (int i = 0; i < count[0]; i++) devices.add(properties(i));
    return new GpuProbe.Available(text(version), devices);
  }

  /** As CUDA encodes it: 1000 · major + 10 · minor. */
  static int version() {
    int[] version = {0};
    check(JCudaDriver.cuDriverGetVersion(version), "cuDriverGetVersion", "reading the driver's version");
    return version[0];
  }

  private static String text(int version) {
    return version / 1000 + "." + version % 1000 / 10;
  }

  static CUdevice device(int index) {
    var device = new CUdevice();
    check(JCudaDriver.cuDeviceGet(device, index), "cuDeviceGet", "device " + index);
    return device;
  }

  static GpuProperties properties(int index) {
    var device = device(index);
    var name = new byte[256];
    check(JCudaDriver.cuDeviceGetName(name, name.length, device), "cuDeviceGetName", "device " + index);
    long[] memory = {0};
    check(JCudaDriver.cuDeviceTotalMem(memory, device), "cuDeviceTotalMem", "device " + index);
    return new GpuProperties(index, new String(name, StandardCharsets.US_ASCII).replaceAll("\0.*", ""),
        attribute(device, CUdevice_attribute.CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR),
        attribute(device, CUdevice_attribute.CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR), memory[0],
        attribute(device, CUdevice_attribute.CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT),
        attribute(device, CUdevice_attribute.CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN));
  }

  private static int attribute(CUdevice device, int attribute) {
    int[] value = {0};
    check(JCudaDriver.cuDeviceGetAttribute(value, attribute, device), "cuDeviceGetAttribute",
        CUdevice_attribute.stringFor(attribute));
    return value[0];
  }

  /**
   * Does nothing for {@code CUDA_SUCCESS}.
   *
   * @throws GpuException for any other result, with what was being done
   */
  static void check(int result, String call, Object doing) {
    if (result == CUresult.CUDA_SUCCESS) return;
    throw new GpuException(call, CUresult.stringFor(result), describe(result) + ", while " + doing);
  }

  private static String describe(int result) {
    String[] text = {""};
    boolean known = JCudaDriver.cuGetErrorString(result, text) == CUresult.CUDA_SUCCESS;
    return known ? text[0] : CUresult.stringFor(result);
  }
}
