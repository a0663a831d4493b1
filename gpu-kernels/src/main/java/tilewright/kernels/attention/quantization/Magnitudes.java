package tilewright.kernels.attention.quantization;

import java.util.List;
import java.util.function.Supplier;
import tilewright.kernel.F32;
import tilewright.kernel.Pred;
import tilewright.kernel.Scope;

/**
 * The magnitudes of a thread's elements.
 *
 * @param finite whether all are finite numbers, as they nearly always are
 * @param largest the largest of those that are; 0 without one
 */
record Magnitudes(Pred finite, F32 largest) {
  /** @param elements the elements, asked for again where some are not finite */
  static Magnitudes of(Scope k, Supplier<List<F32>> elements) {
    var all = elements.get().stream().map(F32::magnitude).reduce(F32::max).orElseThrow();
    var finite = all.atMost(k.constant(Float.MAX_VALUE));
    var found = k.accumulator(0);
    k.when(finite, () -> found.set(all), () -> {
      // Of this branch, so that what is compared with it is computed here only.
      var most = k.constant(Float.MAX_VALUE).settled();
      for (var value : elements.get()) {
        var magnitude = value.magnitude();
        found.set(found.value().max(magnitude.where(magnitude.atMost(most), k.constant(0f))));
      }
    });
    return new Magnitudes(finite, found.value());
  }
}
