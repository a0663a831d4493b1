package tilewright.verification.golden;

import java.util.Map;
import java.util.Optional;
import tilewright.layout.Layout;
import tilewright.layout.tuple.Coordinates;
import tilewright.layout.tuple.Coordinates.LastMode;
import tilewright.layout.tuple.IntTuple;
import tilewright.layout.tuple.SliceCoordinate;

/** Indices to coordinates and back. */
final class CoordinateConversionJudges {
  private CoordinateConversionJudges() {}

  static Map<String, Judge> all() {
    return Map.of(
        "crd2idx", CoordinateConversionJudges::toIndex,
        "crd2crd", CoordinateConversionJudges::convert,
        "idx2crd", golden -> golden.hasArgument("stride") ? ofOffset(golden) : ofIndex(golden));
  }

  /** A free place counts as 0. */
  private static Judgement toIndex(GoldenRecord golden) {
    var shape = golden.tuple("shape");
    var coordinate = SliceCoordinate.parse(golden.argument("crd")).origin();
    return EvaluationJudges.exact(golden, Answer.of(() -> golden.hasArgument("stride")
        ? Coordinates.offset(coordinate, shape, golden.tuple("stride")) : Coordinates.index(coordinate, shape)));
  }

  private static Judgement convert(GoldenRecord golden) {
    var coordinate = golden.tuple("crd");
    var to = golden.tuple("dst_shape");
    var ours = Answer.of(() -> golden.hasArgument("src_shape")
        ? Coordinates.convert(coordinate, golden.tuple("src_shape"), to) : Coordinates.of(coordinate, to));
    // pycute refuses an index beyond the shape; here the last mode runs on.
    boolean extended = golden.raises() && ours.value().filter(c -> counts(coordinate, to, c)).isPresent();
    return extended ? Judgement.agreed(ours) : EvaluationJudges.exact(golden, ours);
  }

  /** The last mode runs on in CuTe C++ and here; pycute wraps it, and splits the integers of a tuple wrongly. */
  private static Judgement ofIndex(GoldenRecord golden) {
    var shape = golden.tuple("shape");
    var index = golden.tuple("idx");
    var ours = Answer.of(() -> Coordinates.of(index, shape));
    if (golden.raises() || ours.refuses()) return EvaluationJudges.exact(golden, ours);
    if (!counts(index, shape, ours.value().orElseThrow())) return Judgement.mismatch(index + " of " + shape, ours);
    var theirs = IntTuple.parse(golden.expected());
    if (ours.value().equals(Optional.of(theirs))) return Judgement.agreed(theirs);
    return switch (golden.verdict()) {
      case "wrap" -> Coordinates.of(index.size(), shape, LastMode.WRAPPED).equals(theirs)
          ? Judgement.dialect(theirs, ours) : Judgement.mismatch(theirs, ours);
      case "wrong" -> Judgement.agreed(ours);
      default -> Judgement.mismatch(theirs, ours);
    };
  }

  /** Whether a coordinate congruent to the shape counts to the index, each integer of a tuple within its own mode. */
  private static boolean counts(IntTuple index, IntTuple shape, IntTuple coordinate) {
    if (!coordinate.isCongruentTo(shape)) return false;
    if (index instanceof IntTuple.Leaf(long value)) {
      return value == Definitions.index(coordinate.flatten(), shape.flatten());
    }
    for (int i = 0; i < index.rank(); i++) {
      if (!counts(index.mode(i), shape.mode(i), coordinate.mode(i))) return false;
    }
    return true;
  }

  /** By stride: the digits (i / D) mod S. Where pycute divides by a stride of 0, the offset must come back. */
  private static Judgement ofOffset(GoldenRecord golden) {
    var shape = golden.tuple("shape");
    var stride = golden.tuple("stride");
    var offset = golden.tuple("idx").size();
    var ours = Answer.of(() -> Coordinates.ofOffset(offset, shape, stride));
    if (!golden.raises()) return EvaluationJudges.exact(golden, ours);
    return ours.value().filter(c -> Layout.of(shape, stride).apply(c) == offset).isPresent() ? Judgement.agreed(ours)
        : Judgement.mismatch("a coordinate of offset " + offset, ours);
  }
}
