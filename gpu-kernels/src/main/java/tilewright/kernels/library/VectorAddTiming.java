package tilewright.kernels.library;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.LongFunction;
import tilewright.kernel.PreparedLaunch;
import tilewright.kernels.registry.KernelDescription;
import tilewright.kernels.registry.TimedProblem;
import tilewright.kernels.registry.Timing;
import tilewright.numerics.ElementType;

/** The addition of two vectors that are far larger than any cache. */
public final class VectorAddTiming {
  private static final long ELEMENTS = 1 << 28;

  private VectorAddTiming() {}

  /** @param launch the addition of so many elements */
  public static Timing of(KernelDescription kernel, LongFunction<PreparedLaunch> launch) {
    return Timing.of(() -> {
      var tensors = new ArrayList<TimedProblem.Tensor>();
      for (var x : List.of("X", "Y")) tensors.add(TimedProblem.Tensor.input(x, ElementType.F32, ELEMENTS));
      tensors.add(TimedProblem.Tensor.output("Z", ElementType.F32, ELEMENTS));
      return new TimedProblem(kernel.name(), "sm" + kernel.target().capability(), "n=" + ELEMENTS,
          launch.apply(ELEMENTS), tensors, 3L * Float.BYTES * ELEMENTS, 0,
          Map.of("op", "vector_add", "settings", Map.of("n", "" + ELEMENTS)));
    });
  }
}
