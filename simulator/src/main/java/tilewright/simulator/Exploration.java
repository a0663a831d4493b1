package tilewright.simulator;

import java.time.Duration;
import java.util.List;

/**
 * The result of exploring the schedules of a launch.
 *
 * @param schedules runs of the launch, of which no two are equivalent up to where the later one was known
 * @param steps taken in all runs: a warp's way from one synchronising instruction to the next, or the completion of an
 *     asynchronous operation
 * @param longest steps of the longest run
 * @param findings of the last run
 * @param difference how the last run's results differ from those of the first, or the empty text
 * @param schedule of the last run
 */
public record Exploration(Outcome outcome, long schedules, long steps, int longest, Duration time,
    List<Finding> findings, String difference, Schedule schedule) {
  /** The ends that an exploration can have. */
  public enum Outcome {
    /** Every schedule ends with the same results, and with no finding. */
    PROVED,
    /** The schedule leads to the findings. */
    FOUND,
    /** The schedule leads to other results than the first one did. */
    DIFFERENT_RESULTS,
    /** Nothing was found within the limits. */
    LIMITED
  }

  public Exploration {
    findings = List.copyOf(findings);
  }
}
