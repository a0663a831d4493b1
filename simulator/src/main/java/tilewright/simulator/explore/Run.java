package tilewright.simulator.explore;

import java.util.List;
import java.util.OptionalInt;

/** One run of a launch, whose agents (warps and asynchronous operations) take steps as somebody else chooses. */
public interface Run {
  /**
   * A step that was taken.
   *
   * @param issued the agents that it created
   * @param tried the instruction by which it tried to wait for a phase, if it did
   * @param place the line that a warp goes on at, or that began an operation; empty where there is none
   */
  record Step(Footprint footprint, List<String> issued, OptionalInt tried, String place) {}

  /** The agents that can take a step, in order; none when the run is over. */
  List<String> enabled();

  Step step(String agent);

  /** Whether something was found, so that the run need not go on. */
  boolean failed();

  /** Where the run's results differ from another run's, in words; empty if they do not. */
  String difference(Run other);
}
