package tilewright.device;

import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.function.Function;
import tilewright.ptx.Launch.Argument;

/** Converts a launch's arguments to a kernel's, once the buffers' addresses are known. */
final class Arguments {
  private final Gpu gpu;
  private final Function<Argument.Buffer, KernelArgument.Address> places;

  /** @param places where a buffer's place is on the GPU */
  Arguments(Gpu gpu, Function<Argument.Buffer, KernelArgument.Address> places) {
    this.gpu = gpu;
    this.places = places;
  }

  KernelArgument encode(Argument argument) {
    return switch (argument) {
      case Argument.Buffer buffer -> places.apply(buffer);
      case Argument.Scalar(var type, var bits) -> new KernelArgument.Value(type, bits);
      case Argument.TensorMapOf(var buffer, var map) -> {
        var place = places.apply(buffer);
        yield gpu.tensorMap(map, place.memory(), place.offset());
      }
      case Argument.Struct struct -> {
        var content = MemorySegment.ofArray(new byte[struct.bytes()]);
        var memories = new ArrayList<DeviceMemory>();
        for (var field : struct.fields()) {
          var value = encode(field.value());
          var bytes = MemorySegment.ofArray(value.bytes());
          content.asSlice(field.offset(), bytes.byteSize()).copyFrom(bytes);
          memories.addAll(value.memories());
        }
        yield new KernelArgument.Raw(content, memories);
      }
    };
  }
}
