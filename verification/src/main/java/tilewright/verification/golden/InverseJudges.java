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
        "left_inverse", golden -> Definitions.isInjective(golden.layout("a")) ? left(golden) : quasi(golden),
        "max_common_layout", golden -> common(golden, golden.has("expect") ? golden.expectedLayout().size() : 1),
        "max_common_vector", golden -> common(golden, golden.has("expect") ? Long.parseLong(golden.expected()) : 1));
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

  /** L(A(i)) = i. Refusing is right where no engine has a layout that satisfies the law. */
  private static Judgement left(GoldenRecord golden) {
    var a = golden.layout("a");
    var ours = Answer.of(a::leftInverse);
    if (!ours.refuses()) {
      return inverts(ours.value().orElseThrow(), a) ? Judgement.agreed(ours) : Judgement.mismatch("L(A(i)) = i", ours);
    }
    if (ours.refusal().contains("undecided")) return Judgement.mismatch("a decision", ours);
    return theirs(golden).filter(l -> inverts(l, a)).findFirst().map(l -> Judgement.mismatch(l, ours))
        .orElseGet(() -> Judgement.refused(ours.refusal()));
  }

  /** A layout that is not injective has no left inverse, but where an engine has one, Q with A(Q(A(i))) = A(i). */
  private static Judgement quasi(GoldenRecord golden) {
    var a = golden.layout("a");
    var left = Answer.of(a::leftInverse);
    if (!left.refuses()) return Judgement.mismatch("a refusal", left);
    var ours = Answer.of(a::quasiInverse);
    if (!ours.refuses()) {
      return returns(ours.value().orElseThrow(), a) ? Judgement.agreed(ours)
          : Judgement.mismatch("A(Q(A(i))) = A(i)", ours);
    }
    return theirs(golden).filter(q -> returns(q, a)).findFirst().map(q -> Judgement.mismatch(q, ours))
        .orElseGet(() -> Judgement.refused(ours.refusal()));
  }

  /** The answers of all engines that the record has, as far as they are layouts. */
  private static Stream<Layout> theirs(GoldenRecord golden) {
    return Stream.of("expect", "cutegen", "pycute").flatMap(field -> golden.text(field).stream())
        .flatMap(text -> Answer.of(() -> Layout.parse(text)).value().stream());
  }

  /** a(R(i)) = b(R(i)) = i, at least as long as CuTe's. */
  private static Judgement common(GoldenRecord golden, long longest) {
    var a = golden.layout("a");
    var b = golden.layout("b");
    var ours = a.maxCommonLayout(b);
    boolean common = LongStream.range(0, ours.size())
        .allMatch(i -> a.apply(ours.apply(i)) == i && b.apply(ours.apply(i)) == i);
    return common && ours.size() >= longest ? Judgement.agreed(ours) : Judgement.mismatch("a run of " + longest, ours);
  }

  private static boolean returns(Layout quasi, Layout a) {
    return LongStream.range(0, a.size()).allMatch(i -> a.apply(quasi.apply(a.apply(i))) == a.apply(i));
  }

  private static boolean inverts(Layout inverse, Layout a) {
    return LongStream.range(0, a.size()).allMatch(i -> inverse.apply(a.apply(i)) == i);
  }
}
