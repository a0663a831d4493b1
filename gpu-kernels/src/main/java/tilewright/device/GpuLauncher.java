package tilewright.device;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import tilewright.device.driver.GpuException;
import tilewright.ptx.Launch;

/** Runs launches that are data. */
final class GpuLauncher {
  private GpuLauncher() {}

  static double run(Gpu gpu, Launch launch) {
    var buffers = new LinkedHashMap<String, GuardedBuffer>();
    try (var module = gpu.load(launch.ptx());
        var stream = gpu.stream();
        var start = gpu.event();
        var end = gpu.event()) {
      launch.buffers().forEach((name, content) -> buffers.put(name, new GuardedBuffer(gpu, name, content)));
      var places = new Arguments(gpu, buffer -> buffers.get(buffer.name()).at(buffer.offset()));
      var arguments = launch.arguments().stream().map(places::encode).toList();
      var shape = new LaunchShape(launch.grid(), launch.block(), launch.cluster(), launch.dynamicSharedBytes(),
          launch.features());
      var kernel = module.function(launch.entry()).bind(shape, arguments);
      start.record(stream);
      kernel.launch(stream);
      end.record(stream);
      stream.synchronize("running " + kernel);
      launch.buffers().forEach((name, content) -> {
        if (!content.isReadOnly()) buffers.get(name).download(content);
      });
      requireIntactGuards(buffers, kernel);
      return end.millisecondsSince(start);
    } finally {
      buffers.values().forEach(GuardedBuffer::close);
    }
  }

  private static void requireIntactGuards(Map<String, GuardedBuffer> buffers, BoundKernel kernel) {
    buffers.values().stream().map(GuardedBuffer::damage).flatMap(Optional::stream).findFirst().ifPresent(damage -> {
      throw new GpuException("guard check", "OUT_OF_BOUNDS_WRITE", damage + ", by " + kernel);
    });
  }
}
