package tilewright.verification.cases;

import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.Set;
import java.util.function.LongToDoubleFunction;
import java.util.function.Supplier;
import tilewright.kernel.PreparedLaunch;
import tilewright.kernels.Transpose;
import tilewright.numerics.ElementType;

/** Kernels whose every result is one rounded operation or none, so that only equal bits will do. */
public final class MemoryCases {
  private static final Set<String> EVERYWHERE = Set.of("sim", "gpu");

  private MemoryCases() {}

  public static Case vectorAdd(String kernel, String arch, Supplier<PreparedLaunch> launch, long n, long seed) {
    Supplier<Map<String, MemorySegment>> inputs = () -> Map.of("X", Buffers.normal(ElementType.F32, n, seed),
        "Y", Buffers.normal(ElementType.F32, n, seed + 1), "Z", Buffers.poisoned(ElementType.F32, n));
    return new Case(kernel, arch, "N=" + n, EVERYWHERE, Price.elements(n), launch, inputs, (in, out, _) ->
        exact(out.get("Z"), n, i -> Buffers.single(in.get("X"), i) + Buffers.single(in.get("Y"), i)));
  }

  static List<Case> transposes(long seed) {
    var cases = new ArrayList<Case>();
    for (long[] shape : new long[][] {{0, 3}, {2, 0}, {1, 1}, {33, 65}, {256, 512}}) {
      long m = shape[0];
      long n = shape[1];
      Supplier<Map<String, MemorySegment>> inputs = () -> Map.of("X", Buffers.normal(ElementType.F32, m * n, seed),
          "Y", Buffers.poisoned(ElementType.F32, m * n));
      cases.add(new Case("transpose", "sm80", m + "x" + n, EVERYWHERE, Price.elements(m * n),
          () -> Transpose.prepare(m, n), inputs, (in, out, _) ->
          exact(out.get("Y"), m * n, i -> Buffers.single(in.get("X"), i % m * n + i / m))));
    }
    return cases;
  }

  private static Verdict exact(MemorySegment ours, long count, LongToDoubleFunction expected) {
    double max = 0;
    double sum = 0;
    Optional<String> violation = Optional.empty();
    for (long i = 0; i < count; i++) {
      // FP32 numbers, so that a sum is the one rounding that the kernel makes.
      float wanted = (float) expected.applyAsDouble(i);
      float got = Buffers.single(ours, i);
      double error = Math.abs((double) got - wanted);
      if (Float.floatToRawIntBits(got) != Float.floatToRawIntBits(wanted) && violation.isEmpty()) {
        violation = Optional.of("element " + i + " is " + got + ", expected " + wanted);
      }
      if (!Double.isNaN(error)) {
        max = Math.max(max, error);
        sum += error;
      }
    }
    return new Verdict(OptionalDouble.of(max), OptionalDouble.of(sum / Math.max(1, count)),
        Optional.of(violation.isEmpty()), violation);
  }
}
