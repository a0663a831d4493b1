package tilewright.verification.golden;

import java.util.Arrays;
import java.util.Map;
import java.util.function.BiFunction;
import java.util.function.LongUnaryOperator;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import tilewright.layout.ComposedLayout;
import tilewright.layout.OffsetMap;
import tilewright.layout.f2.Swizzle;
import tilewright.layout.tuple.SliceCoordinate;
import tilewright.layout.xor.SwizzleExchange;
import tilewright.layout.xor.Unswizzling;

/** Swizzles cast, composed and sliced, judged by what they do to numbers. */
final class SwizzleAlgebraJudges {
  /** All fields of the records lie below, so that a swizzle that agrees there agrees everywhere. */
  private static final int FIELDS_END = 16;

  private SwizzleAlgebraJudges() {}

  static Map<String, Judge> all() {
    return Map.of(
        "upcast_swizzle", cast((n, swizzle) -> y -> swizzle.apply(n * y) / n, Swizzle::upcast),
        "downcast_swizzle", cast((n, swizzle) -> y -> swizzle.apply(y / n) * n + y % n, Swizzle::downcast),
        "composition_swizzle_swizzle", SwizzleAlgebraJudges::ofSwizzles,
        "composition_layout_swizzle", SwizzleAlgebraJudges::ofLayout,
        "swizzle_slice", SwizzleAlgebraJudges::slice);
  }

  private static Swizzle swizzle(GoldenRecord golden, String name) {
    return Swizzle.parse("Sw<" + golden.argument(name) + ">");
  }

  private static Judge cast(BiFunction<Long, Swizzle, LongUnaryOperator> definition,
      BiFunction<Swizzle, Long, Swizzle> operation) {
    return golden -> {
      long n = Long.parseLong(golden.argument("n"));
      var swizzle = swizzle(golden, "swizzle");
      var ours = operation.apply(swizzle, n);
      return agrees(ours::apply, definition.apply(n, swizzle)) ? Judgement.equal(golden.expected(), ours)
          : Judgement.mismatch("blocks of " + n + " moved as before", ours);
    };
  }

  /** Linear over bits, so that the powers of two decide. */
  private static boolean agrees(LongUnaryOperator a, LongUnaryOperator b) {
    return IntStream.range(0, FIELDS_END).allMatch(bit -> a.applyAsLong(1L << bit) == b.applyAsLong(1L << bit));
  }

  private static Judgement ofSwizzles(GoldenRecord golden) {
    var outer = swizzle(golden, "s0");
    var inner = swizzle(golden, "s1");
    LongUnaryOperator demanded = x -> outer.apply(inner.apply(x));
    var ours = Answer.of(() -> outer.tryComposition(inner).orElseThrow());
    if (ours.refuses()) return refused(ours, demanded, LongStream.range(0, FIELDS_END).map(bit -> 1L << bit).toArray());
    if (!agrees(ours.value().orElseThrow()::apply, demanded)) return Judgement.mismatch(outer + " ∘ " + inner, ours);
    boolean wrong = !golden.raises() && !agrees(Swizzle.parse(golden.expected())::apply, demanded);
    return Judgement.agreed(ours).whereOracleIs(wrong);
  }

  /** Right if no swizzle takes these numbers to where they must go. */
  private static Judgement refused(Answer<?> ours, LongUnaryOperator demanded, long[] numbers) {
    for (int bits = 0; bits <= FIELDS_END / 2; bits++) {
      for (int base = 0; base + bits <= FIELDS_END; base++) {
        for (int shift = -FIELDS_END; shift <= FIELDS_END; shift++) {
          if (Math.abs(shift) < bits) continue;
          var candidate = new Swizzle(bits, base, shift);
          if (Arrays.stream(numbers).allMatch(x -> candidate.apply(x) == demanded.applyAsLong(x))) {
            return Judgement.mismatch(candidate, ours);
          }
        }
      }
    }
    return Judgement.refused(ours.refusal());
  }

  /** Layout ∘ swizzle, as another swizzle before the same layout. */
  private static Judgement ofLayout(GoldenRecord golden) {
    var layout = golden.layout("layout");
    var inner = swizzle(golden, "swizzle");
    var demanded = Definitions.table(layout.size(), i -> layout.apply(inner.apply(i)));
    var ours = Answer.of(() -> SwizzleExchange.of(layout, inner).orElseThrow());
    boolean wrong = !golden.raises() && IntStream.range(0, demanded.length)
        .filter(i -> inner.apply(i) < layout.size())
        .anyMatch(i -> OffsetMap.parse(golden.expected().replace("_", "")).apply(i) != demanded[i]);
    if (ours.refuses()) {
      var offsets = Definitions.offsets(layout);
      // Where two indices share an offset no swizzle tells them apart; the first decides then.
      return refused(ours, x -> demanded[(int) Definitions.find(offsets, x)], offsets).whereOracleIs(wrong);
    }
    return hasTable(ours.value().orElseThrow(), demanded) ? Judgement.agreed(ours).whereOracleIs(wrong)
        : Judgement.mismatch(layout + " ∘ " + inner, ours);
  }

  private static boolean hasTable(OffsetMap map, long[] table) {
    return map.size() == table.length && IntStream.range(0, table.length).allMatch(i -> map.apply(i) == table[i]);
  }

  /** Where CuTe C++ finds the slice to be a layout without swizzle, we must too. */
  private static Judgement slice(GoldenRecord golden) {
    var slice = golden.layout("layout").sliceAndOffset(SliceCoordinate.parse(golden.argument("crd")));
    var composed = new ComposedLayout(swizzle(golden, "swizzle"), slice.offset(), slice.layout());
    // Large slices are not listed; what their parts do decides then.
    var truth = golden.truth().orElseGet(() -> Definitions.table(composed.size(), composed::apply));
    if (!hasTable(composed, truth)) return Judgement.mismatch("offsets " + Arrays.toString(truth), composed);
    var plain = Answer.of(() -> Unswizzling.of(composed).orElseThrow());
    if (plain.refuses()) {
      return golden.expected().contains("Sw<") ? Judgement.agreed(composed)
          : Judgement.mismatch(golden.expected(), plain);
    }
    return hasTable(plain.value().orElseThrow(), truth) ? Judgement.agreed(plain)
        : Judgement.mismatch("offsets " + Arrays.toString(truth), plain);
  }
}
