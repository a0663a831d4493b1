package tilewright.verification.golden;

import java.util.Arrays;
import java.util.Map;
import tilewright.layout.Layout;
import tilewright.layout.tuple.SliceCoordinate;

/** Modes cut out, added and regrouped. */
final class SurgeryJudges {
  private SurgeryJudges() {}

  static Map<String, Judge> all() {
    return Map.of(
        "surgery", golden -> EvaluationJudges.exact(golden, Answer.of(() -> operate(golden))),
        "get_mode", golden -> EvaluationJudges.exact(golden, Answer.of(() -> mode(golden))),
        "layout_slice", SurgeryJudges::slice,
        "dice", SurgeryJudges::dice);
  }

  private static Layout mode(GoldenRecord golden) {
    return golden.layout("layout").mode(Integer.parseInt(golden.argument("i")));
  }

  private static Layout operate(GoldenRecord golden) {
    var a = golden.layout("a");
    return switch (golden.argument("fn")) {
      case "flatten" -> a.flatten();
      case "append" -> a.append(golden.layout("x"));
      case "prepend" -> a.prepend(golden.layout("x"));
      case "replace" -> a.replace(places(golden)[0], golden.layout("x"));
      case "get" -> a.mode(places(golden)[0]);
      case "select" -> a.select(places(golden));
      case "take" -> a.take(Integer.parseInt(golden.argument("B")), Integer.parseInt(golden.argument("E")));
      case "group" -> a.group(Integer.parseInt(golden.argument("B")), Integer.parseInt(golden.argument("E")));
      case String other -> throw new IllegalStateException("nobody judges " + other);
    };
  }

  private static int[] places(GoldenRecord golden) {
    return Arrays.stream(golden.argument("I").split("\\s*,\\s*")).mapToInt(Integer::parseInt).toArray();
  }

  /** The slice and where it begins; pycute wraps what a bare {@code _} leaves into one mode. */
  private static Judgement slice(GoldenRecord golden) {
    var layout = golden.layout("layout");
    var coordinate = SliceCoordinate.parse(golden.argument("crd"));
    var ours = Answer.of(() -> layout.sliceAndOffset(coordinate));
    if (golden.raises() || ours.refuses()) return EvaluationJudges.exact(golden, ours.map(slice -> slice.layout()));
    var slice = ours.value().orElseThrow();
    if (golden.has("offset") && golden.json().get("offset").asLong() != slice.offset()) {
      return Judgement.mismatch("offset " + golden.json().get("offset"), slice);
    }
    boolean wrapped = coordinate instanceof SliceCoordinate.Free
        && Layout.of(slice.layout()).toString().equals(golden.expected());
    return wrapped ? Judgement.dialect(golden.expected(), slice.layout())
        : Judgement.equal(golden.expected(), slice.layout());
  }

  private static Judgement dice(GoldenRecord golden) {
    var a = golden.layout("a");
    var coordinate = SliceCoordinate.parse(golden.argument("crd"));
    return EvaluationJudges.exact(golden,
        Answer.of(() -> Layout.of(coordinate.dice(a.shape()), coordinate.dice(a.stride()))));
  }
}
