package tilewright.ops;

import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import tilewright.kernel.CompiledKernel;
import tilewright.kernel.KernelParameter;
import tilewright.kernel.PreparedLaunch;
import tilewright.layout.Layout;
import tilewright.layout.OffsetMap;
import tilewright.layout.tuple.IntTuple;
import tilewright.ptx.Launch;
import tilewright.simulator.Coordinates;

/**
 * Names the elements of a tensor in a buffer by their coordinates in its layout.
 *
 * @param bits of an element
 * @param begin bytes from the buffer's begin to the tensor's
 */
public record TensorCoordinates(int bits, OffsetMap layout, long begin) implements Coordinates {
  /** Looking further would take longer than reading the rest of the report. */
  private static final long MOST_TRIED = 1L << 24;

  @Override
  public Optional<String> of(long byteOffset) {
    long element = Math.floorDiv((byteOffset - begin) * 8, bits);
    long tried = Math.min(layout.size(), MOST_TRIED);
    for (long i = 0; i < tried; i++) {
      if (layout.apply(i) == element) return Optional.of(Layout.columnMajor(layout.shape()).coordinate(i).toString());
    }
    return Optional.empty();
  }

  private static Optional<String> inShared(CompiledKernel kernel, long offset) {
    var tensors = kernel.sharedTensors();
    for (int i = tensors.size() - 1; i >= 0; i--) {
      var t = tensors.get(i);
      if (offset < t.offset()) continue;
      return new TensorCoordinates(t.type().bits(), t.layout(), t.offset()).of(offset)
          .map(c -> c + " of shared tensor " + t.name());
    }
    return Optional.empty();
  }

  /** The tensors of a launch by buffer, and those in shared memory; of several in one buffer the first. */
  public static Map<String, Coordinates> of(PreparedLaunch launch) {
    var extents = new HashMap<String, Long>();
    var strides = new HashMap<String, Long>();
    var parameters = launch.kernel().parameters();
    for (int i = 0; i < parameters.size(); i++) {
      if (!(launch.arguments().get(i) instanceof Launch.Argument.Scalar(var _, long bits))) continue;
      switch (parameters.get(i)) {
        case KernelParameter.Extent(var name) -> extents.put(name, bits);
        case KernelParameter.Stride s -> strides.put(s.name(), bits);
        default -> {}
      }
    }
    var coordinates = new HashMap<String, Coordinates>();
    for (int i = 0; i < parameters.size(); i++) {
      if (parameters.get(i) instanceof KernelParameter.Pointer p
          && launch.arguments().get(i) instanceof Launch.Argument.Buffer(var buffer, long offset)) {
        var names = p.tensor().extents();
        var shape = names.stream().map(name -> IntTuple.of(extents.getOrDefault(name, 1L))).toList();
        var stride = names.stream()
            .map(name -> IntTuple.of(strides.getOrDefault(p.tensor().name() + "_stride_" + name, 1L))).toList();
        var layout = Layout.of(IntTuple.of(shape), IntTuple.of(stride));
        coordinates.putIfAbsent(buffer, new TensorCoordinates(p.tensor().type().bits(), layout, offset));
      }
    }
    coordinates.put(CompiledKernel.SHARED_VARIABLE, offset -> inShared(launch.kernel(), offset));
    return coordinates;
  }
}
