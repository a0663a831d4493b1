package tilewright.device;

import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import tilewright.ptx.Launch;
import tilewright.ptx.Launch.Argument;

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
      var arguments = launch.arguments().stream().map(argument -> encode(gpu, argument, buffers)).toList();
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

  private static KernelArgument encode(Gpu gpu, Argument argument, Map<String, GuardedBuffer> buffers) {
    return switch (argument) {
      case Argument.Buffer(var name, var offset) -> buffers.get(name).at(offset);
      case Argument.Scalar(var type, var bits) -> new KernelArgument.Value(type, bits);
      case Argument.TensorMapOf(var buffer, var map) -> {
        var place = buffers.get(buffer.name()).at(buffer.offset());
        yield gpu.tensorMap(map, place.memory(), place.offset());
      }
      case Argument.Struct struct -> {
        var content = MemorySegment.ofArray(new byte[struct.bytes()]);
        var memories = new ArrayList<DeviceMemory>();
        for (var field : struct.fields()) {
          var value = encode(gpu, field.value(), buffers);
          var bytes = MemorySegment.ofArray(value.bytes());
          content.asSlice(field.offset(), bytes.byteSize()).copyFrom(bytes);
          memories.addAll(value.memories());
        }
        yield new KernelArgument.Raw(content, memories);
      }
    };
  }
}
