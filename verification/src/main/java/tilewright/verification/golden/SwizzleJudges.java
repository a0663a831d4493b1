package tilewright.verification.golden;

import java.util.Map;
import java.util.stream.IntStream;
import tilewright.layout.ComposedLayout;
import tilewright.layout.OffsetMap;
import tilewright.layout.f2.Swizzle;

/** Swizzles, and layouts behind them. */
final class SwizzleJudges {
  private SwizzleJudges() {}

  static Map<String, Judge> all() {
    return Map.of(
        "swizzle", SwizzleJudges::swizzle,
        "composed", SwizzleJudges::composed);
  }

  private static Judgement swizzle(GoldenRecord golden) {
    var ours = Answer.of(
        () -> new Swizzle((int) golden.number("B"), (int) golden.number("M"), (int) golden.number("S")));
    if (golden.raises()) {
      // pycute recurses for ever where S is 0; by the definition that is the identity when B is 0 too.
      boolean legal = golden.number("B") == 0 && golden.number("M") >= 0;
      if (ours.refuses() == legal) return Judgement.mismatch(legal ? "the identity" : "a refusal", ours);
      return legal ? Judgement.equal("1", ours.value().orElseThrow().apply(1)) : Judgement.refused(ours.refusal());
    }
    var swizzle = ours.value();
    if (swizzle.isEmpty()) return Judgement.mismatch(golden.expected(), ours);
    var table = golden.table("table").orElseGet(() -> new long[0]);
    for (int i = 0; i < table.length; i++) {
      if (swizzle.get().apply(i) != table[i]) return Judgement.mismatch(i + " ↦ " + table[i], swizzle.get().apply(i));
    }
    for (var sample : golden.json().get("samples")) {
      long image = swizzle.get().apply(sample.get(0).asLong());
      if (image != sample.get(1).asLong()) return Judgement.mismatch(sample, image);
    }
    return Judgement.agreed(swizzle.get());
  }

  private static Judgement composed(GoldenRecord golden) {
    var swizzle = Swizzle.parse("Sw<" + golden.argument("swizzle") + ">");
    var ours = new ComposedLayout(swizzle, golden.number("offset"), golden.layout("layout"));
    long[] table = golden.table("table").orElseGet(() -> new long[0]);
    boolean same = IntStream.range(0, table.length).allMatch(i -> ours.apply(i) == table[i])
        && OffsetMap.parse(ours.toString()).equals(ours);
    return same ? Judgement.agreed(ours) : Judgement.mismatch(golden.expected(), ours);
  }
}
