package tilewright.device;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.Arena;
import java.util.List;
import tilewright.device.driver.GpuException;
import tilewright.ptx.Launch.Argument;
import tilewright.ptx.tensormap.TensorMap;
import tilewright.ptx.tensormap.TensorMapRules;
import tilewright.ptx.tensormap.TensorView;

/** Makes tensor maps by the driver, which alone knows how they look inside. */
final class TensorMapEncoder {
  private static final long ALIGNMENT = 64;

  private final Gpu gpu;

  TensorMapEncoder(Gpu gpu) {
    this.gpu = gpu;
  }

  /**
   * @param offset bytes from the memory's beginning to the tensor
   * @throws GpuException when the driver refuses the map, with the rules that it breaks as far as they are known
   */
  KernelArgument.Raw encode(TensorMap map, DeviceMemory memory, long offset) {
    var result = Arena.ofAuto().allocate(Argument.TENSOR_MAP_BYTES, ALIGNMENT);
    long address = memory.address() + offset;
    try (var arena = Arena.ofConfined()) {
      gpu.enter();
      int status = call(map, address, result.address(), arena);
      var broken = status == 0 ? List.<String>of()
          : TensorMapRules.violations(map, address, gpu.properties().capability());
      gpu.driver().check(status, name(map), broken.isEmpty() ? "encoding " + map : String.join("; ", broken));
    }
    return new KernelArgument.Raw(result, List.of(memory));
  }

  private static String name(TensorMap map) {
    return switch (map) {
      case TensorMap.Tiled _ -> "cuTensorMapEncodeTiled";
      case TensorMap.Im2col _ -> "cuTensorMapEncodeIm2col";
      case TensorMap.Im2colWide _ -> "cuTensorMapEncodeIm2colWide";
    };
  }

  private int call(TensorMap map, long address, long result, Arena arena) {
    var view = map.view();
    int type = view.element().ordinal();
    int rank = view.rank();
    long dims = longs(view.dims(), arena);
    long strides = longs(view.strides(), arena);
    long steps = ints(view.elementStrides(), arena);
    int interleave = view.interleave().ordinal();
    int swizzle = view.swizzle().ordinal();
    int promotion = view.l2Promotion().ordinal();
    int fill = view.fill().ordinal();
    var driver = gpu.driver();
    return switch (map) {
      case TensorMap.Tiled(TensorView _, var box) -> driver.result(name(map), result, type, rank, address, dims,
          strides, ints(box, arena), steps, interleave, swizzle, promotion, fill);
      case TensorMap.Im2col(TensorView _, var lower, var upper, int channels, int pixels) -> driver.result(name(map),
          result, type, rank, address, dims, strides, ints(lower, arena), ints(upper, arena), channels, pixels, steps,
          interleave, swizzle, promotion, fill);
      case TensorMap.Im2colWide(TensorView _, int lower, int upper, int channels, int pixels, var mode) ->
          driver.result(name(map), result, type, rank, address, dims, strides, lower, upper, channels, pixels, steps,
              interleave, mode.ordinal(), swizzle, promotion, fill);
    };
  }

  private static long longs(List<Long> values, Arena arena) {
    return arena.allocateFrom(JAVA_LONG, values.stream().mapToLong(Long::longValue).toArray()).address();
  }

  private static long ints(List<Integer> values, Arena arena) {
    return arena.allocateFrom(JAVA_INT, values.stream().mapToInt(Integer::intValue).toArray()).address();
  }
}
