package tilewright.ops.parallel;

import java.util.List;
import java.util.function.Consumer;
import java.util.function.Supplier;
import tilewright.ops.DeviceTensor;
import tilewright.ops.GemmOptions;

/** The result of a GEMM over devices: the caller's tensor, or one that is made here. */
final class GemmResult {
  private GemmResult() {}

  /**
   * Computes into the tensor that the options name, or into a new one, which is closed if that fails.
   *
   * @param memory what is closed at the end, also of what {@code compute} adds to it
   */
  static DeviceTensor of(GemmOptions options, Supplier<DeviceTensor> made, Consumer<DeviceTensor> compute,
      List<DeviceTensor> memory) {
    var result = options.into().orElseGet(made);
    try {
      compute.accept(result);
      return result;
    } catch (RuntimeException e) {
      if (options.into().isEmpty()) result.close();
      throw e;
    } finally {
      memory.forEach(DeviceTensor::close);
    }
  }
}
