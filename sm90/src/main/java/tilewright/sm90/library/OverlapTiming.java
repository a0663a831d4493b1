package tilewright.sm90.library;

import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.function.Supplier;
import tilewright.kernels.registry.TimedProblem;
import tilewright.kernels.registry.Timing;
import tilewright.kernels.registry.TimingRequest;

/**
 * The timing of a kernel that computes one block of keys beside another or not, as {@code overlap} says: {@code auto},
 * {@code yes} or {@code no}.
 *
 * @param timing of the kernel that overlaps blocks, that does not, or that chooses
 */
record OverlapTiming(Function<Optional<Boolean>, Timing> timing) implements Timing {
  private static final String OVERLAP = "overlap";
  private static final String AUTO = "auto";

  @Override
  public Set<String> settings() {
    var all = new HashSet<>(timing.apply(Optional.empty()).settings());
    all.add(OVERLAP);
    return all;
  }

  @Override
  public List<Supplier<TimedProblem>> problems(TimingRequest request) {
    return request.values(OVERLAP, AUTO).stream().flatMap(value -> {
      var others = new HashMap<>(request.settings());
      others.remove(OVERLAP);
      return timing.apply(overlaps(value)).problems(new TimingRequest(others, request.everyVariant(), request.size()))
          .stream().<Supplier<TimedProblem>>map(problem -> value.equals(AUTO) ? problem : () -> named(problem, value));
    }).toList();
  }

  private static Optional<Boolean> overlaps(String value) {
    return switch (value) {
      case AUTO -> Optional.empty();
      case "yes" -> Optional.of(true);
      case "no" -> Optional.of(false);
      default -> throw new IllegalArgumentException("invalid overlap=" + value + ": auto, yes or no");
    };
  }

  private static TimedProblem named(Supplier<TimedProblem> problem, String value) {
    var p = problem.get();
    return new TimedProblem(p.kernel(), p.arch(), p.config() + " overlap " + value, p.launches(), p.tensors(),
        p.bytes(), p.operations(), p.peer(), p.before());
  }
}
