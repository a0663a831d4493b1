package tilewright.verification.cases;

import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import tilewright.kernel.collective.attention.Band;
import tilewright.kernels.attention.AttentionProblem;
import tilewright.kernels.attention.AttentionProblem.Apart;
import tilewright.kernels.attention.AttentionProblem.Sizes;
import tilewright.numerics.ElementType;
import tilewright.reference.AttentionReference;

/** Attention that stores each row's largest score and its sum of exponentials apart. */
public final class ApartStatistics {
  /** Roundings of FP32 scores and of sums of exponentials, as a part of what they are. */
  private static final double TOLERANCE = 1e-5;

  private ApartStatistics() {}

  /** Queries that see no keys, heads that share a tile, sequences of different lengths, sinks, and no keys. */
  static List<AttentionCases.Setup> setups() {
    return List.of(with(AttentionCases.band(ElementType.BF16, Sizes.of(1, 150, 20, 1, 64), Band.CAUSAL)),
        with(AttentionCases.band(ElementType.F16, new Sizes(1, 70, 140, 4, 2, 128, 128), Band.window(50, 0))),
        with(AttentionCases.packed(6, 2)),
        with(AttentionSinks.with(AttentionCases.band(ElementType.BF16, new Sizes(2, 5, 70, 6, 2, 64, 64),
            Band.CAUSAL))),
        with(AttentionCases.band(ElementType.BF16, Sizes.of(2, 40, 0, 2, 64), Band.ALL)));
  }

  /** Stores maxima and sums in the place of logarithms. */
  public static AttentionCases.Setup with(AttentionCases.Setup setup) {
    var p = setup.problem();
    return new AttentionCases.Setup(setup.name() + ", maxima and sums", p.with(Apart.dense(p.sizes())), setup.rules(),
        setup.queries(), setup.keys(), setup.captured());
  }

  /** Adds the results, poisoned. */
  static void poison(AttentionProblem p, Map<String, MemorySegment> buffers) {
    long rows = (long) p.sizes().batch() * p.sizes().queries() * p.sizes().heads();
    p.apart().ifPresent(places -> List.of(places.maxima(), places.sums())
        .forEach(view -> buffers.put(view.buffer(), Buffers.poisoned(ElementType.F32, rows))));
  }

  /**
   * Compares with the reference's maxima, and sums with what its logarithms leave beside these.
   *
   * @param allowed error of a score, besides that of FP32
   */
  static Optional<String> wrong(AttentionSequence s, AttentionReference.Result exact, double allowed,
      Map<String, MemorySegment> out) {
    if (s.problem().apart().isEmpty()) return Optional.empty();
    var places = s.problem().apart().get();
    var maxima = s.logarithms(places.maxima(), out);
    var sums = s.logarithms(places.sums(), out);
    for (int i = 0; i < exact.lse().length; i++) {
      double largest = exact.maxima()[i];
      double sum = largest == Double.NEGATIVE_INFINITY ? 0 : Math.exp(exact.lse()[i] - largest);
      double ofMaximum = TOLERANCE * Math.max(1, Math.abs(largest)) + allowed;
      if (maxima.value(i) != largest && !(Math.abs(maxima.value(i) - largest) <= ofMaximum)) {
        return Optional.of("maxima: element " + i + " is " + maxima.value(i) + ", reference " + largest);
      }
      // An error of the largest score changes the other way what is relative to it.
      if (sums.value(i) != sum && !(Math.abs(sums.value(i) - sum) <= (TOLERANCE + 2 * ofMaximum) * sum)) {
        return Optional.of("sums: element " + i + " is " + sums.value(i) + ", reference " + sum);
      }
    }
    return Optional.empty();
  }
}
