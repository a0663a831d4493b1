package tilewright.kernels.registry;

import java.util.List;
import java.util.Set;
import java.util.function.Function;
import java.util.function.Supplier;

/** The problems on which {@code bench} times a kernel, and what its peers are asked for the same. */
public interface Timing {

  /** The settings that choose among problems and configurations. */
  Set<String> settings();

  /**
   * The problems that a request leaves, each traced when it is asked for.
   *
   * @throws IllegalArgumentException when a setting's value is none
   */
  List<Supplier<TimedProblem>> problems(TimingRequest request);

  static Timing of(Set<String> settings, Function<TimingRequest, List<Supplier<TimedProblem>>> problems) {
    return new Timing() {
      @Override
      public Set<String> settings() {
        return settings;
      }

      @Override
      public List<Supplier<TimedProblem>> problems(TimingRequest request) {
        return problems.apply(request);
      }
    };
  }

  /** One problem, whatever is asked for. */
  static Timing of(Supplier<TimedProblem> problem) {
    return of(Set.of(), _ -> List.of(problem));
  }
}
