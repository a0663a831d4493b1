package tilewright.verification.bench;

import java.util.Comparator;
import java.util.List;
import java.util.function.Function;

/** The rules by which records of one benchmark become one. */
final class JoinedParts {
  private JoinedParts() {}

  static void requireSame(String fact, Object first, Object other) {
    if (first.equals(other)) return;
    throw new IllegalArgumentException("rows of different machines do not make one record: %s %s and %s"
        .formatted(fact, first, other));
  }

  /** Returns the last of the parts' dates. */
  static <R> String last(List<R> parts, Function<R, String> date) {
    return parts.stream().map(date).max(Comparator.naturalOrder()).orElseThrow();
  }
}
