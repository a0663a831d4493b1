package tilewright.device;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/** The modules and kernels that a GPU has loaded, by their text. */
final class ModuleCache {
  private final Gpu gpu;
  private final Map<String, GpuModule> modules = new ConcurrentHashMap<>();
  private final Map<Key, GpuFunction> kernels = new ConcurrentHashMap<>();

  private record Key(String ptx, String entry) {}

  ModuleCache(Gpu gpu) {
    this.gpu = gpu;
  }

  GpuFunction kernel(String ptx, String entry) {
    return kernels.computeIfAbsent(new Key(ptx, entry),
        key -> modules.computeIfAbsent(key.ptx, gpu::load).function(key.entry));
  }
}
