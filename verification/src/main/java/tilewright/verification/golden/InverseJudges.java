package tilewright.verification.golden;

import java.util.Map;
import java.util.Optional;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import tilewright.layout.Layout;

/** Inverses are judged by their laws: off the image of A, a left inverse may answer anything. */
final class InverseJudges {
  private InverseJudges() {}

  static Map<String, Judge> all() {
    return Map.of(
        "right_inverse", InverseJudges::right,
        "left_inverse", InverseJudges::left);
  }

  /** A(R(i)) = i as far as any engine gets; for an injective A with strides of at least 0 as far as no gap. */
  private static Judgement right(GoldenRecord golden) {
    var a = golden.layout("a");
    var ours = a.rightInverse();
    if (!LongStream.range(0, ours.size()).allMatch(i -> a.apply(ours.apply(i)) == i)) {
      return Judgement.mismatch("A(R(i)) = i", ours);
    }
    long longest = Stream.of(golden.text("expect"), golden.text("cutegen").filter(c -> !c.equals("error")))
        .flatMap(Optional::stream).mapToLong(text -> Layout.parse(text).size()).max().orElse(0);
    boolean forward = LongStream.of(a.flatStride()).allMatch(stride -> stride >= 0);
    if (golden.has("contiguous_image_prefix") && forward && Definitions.isInjective(a)) {
      longest = golden.json().get("contiguous_image_prefix").asLong();
    }
    return ours.size() < longest ? Judgement.mismatch("size " + longest, ours) : Judgement.agreed(ours);
  }

  /** L(A(i)) = i. Refusing is right where A is not injective, or no engine has a layout that satisfies the law. */
  private static Judgement left(GoldenRecord golden) {
    var a = golden.layout("a");
    var ours = Answer.of(a::leftInverse);
    if (ours.refusal().contains("undecided")) return Judgement.mismatch("a decision", ours);
    if (ours.refuses()) {
      var better = Stream.of("expect", "cutegen", "pycute").flatMap(field -> golden.text(field).stream())
          .flatMap(text -> Answer.of(() -> Layout.parse(text)).value().stream()).filter(l -> inverts(l, a)).findFirst();
      return better.map(l -> Judgement.mismatch(l, ours)).orElseGet(() -> Judgement.refused(ours.refusal()));
    }
    var layout = ours.value().orElseThrow();
    return inverts(layout, a) ? Judgement.agreed(layout) : Judgement.mismatch("L(A(i)) = i", layout);
  }

  private static boolean inverts(Layout inverse, Layout a) {
    return LongStream.range(0, a.size()).allMatch(i -> inverse.apply(a.apply(i)) == i);
  }
}
