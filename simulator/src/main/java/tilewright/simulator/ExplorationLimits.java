package tilewright.simulator;

import java.time.Duration;
import java.util.function.Consumer;

/**
 * The effort that an exploration of schedules may take.
 *
 * @param schedules runs of the launch
 * @param time wall-clock time
 * @param progress is told after each run
 */
public record ExplorationLimits(long schedules, Duration time, Consumer<Progress> progress) {
  /** The runs so far, their steps, and the time they took. */
  public record Progress(long schedules, long steps, Duration time) {}

  public ExplorationLimits {
    if (schedules < 1) {
      throw new IllegalArgumentException("limit of schedules is " + schedules + ", but must be positive");
    }
  }

  public static ExplorationLimits of(long schedules, Duration time) {
    return new ExplorationLimits(schedules, time, _ -> {});
  }
}
