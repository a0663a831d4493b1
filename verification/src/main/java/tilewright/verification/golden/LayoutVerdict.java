package tilewright.verification.golden;

import java.util.Arrays;
import java.util.Optional;
import tilewright.layout.Layout;

/** Compares a layout of ours with the table that the definition demands, and with the record. */
final class LayoutVerdict {
  private LayoutVerdict() {}

  /** By the definition, and then as the record has it. */
  static Judgement of(GoldenRecord golden, Answer<Layout> ours, Optional<long[]> demanded, Layout domain) {
    var judgement = byDefinition(ours, demanded, domain);
    return judgement.outcome() == Outcome.AGREED ? sameAsRecord(golden, ours.value().orElseThrow()) : judgement;
  }

  /**
   * Ours must have the demanded table and refine the domain; a refusal is right where no layout does.
   *
   * @param demanded nothing where the definition already denies an answer
   */
  static Judgement byDefinition(Answer<Layout> ours, Optional<long[]> demanded, Layout domain) {
    if (ours.refuses()) {
      return demanded.isEmpty() || !Definitions.isRealizable(demanded.get(), domain)
          ? Judgement.refused(ours.refusal()) : Judgement.mismatch("a layout, since one exists", ours);
    }
    var layout = ours.value().orElseThrow();
    if (demanded.isEmpty()) return Judgement.mismatch("a refusal", layout);
    return Arrays.equals(Definitions.offsets(layout), demanded.get())
        && domain.shape().isCompatibleWith(layout.shape()) ? Judgement.agreed(layout)
        : Judgement.mismatch("offsets " + shown(demanded.get()) + " refining " + domain.shape(), layout);
  }

  /** An oracle that is right must have the same function, and so must every table that the record holds. */
  static Judgement sameAsRecord(GoldenRecord golden, Layout layout) {
    var truth = golden.table("truth");
    if (truth.isPresent() && !Arrays.equals(truth.get(), Definitions.offsets(layout))) {
      return Judgement.mismatch("offsets " + shown(truth.get()), layout);
    }
    if (golden.has("canon") && !sameFunction(Layout.parse(golden.text("canon").orElseThrow()), layout)) {
      return Judgement.mismatch(golden.text("canon").orElseThrow(), layout);
    }
    if (golden.says("admissible") && !sameFunction(golden.expectedLayout(), layout)) {
      return Judgement.mismatch(golden.expected(), layout);
    }
    return Judgement.agreed(layout);
  }

  static boolean sameFunction(Layout a, Layout b) {
    return a.size() == b.size() && Arrays.equals(Definitions.offsets(a), Definitions.offsets(b));
  }

  private static String shown(long[] table) {
    return Arrays.toString(Arrays.copyOf(table, Math.min(table.length, 32))) + (table.length > 32 ? " …" : "");
  }
}
