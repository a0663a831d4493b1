package tilewright.cli.io;

import java.time.Duration;
import java.util.Optional;

/** The line that says how far a long run is: a bar, a count, the time that is left, and the present step. */
final class ProgressBar {
  private static final int WIDTH = 20;
  /** Before that much is done, nothing is known of the rest. */
  private static final double LEAST = 0.02;

  private ProgressBar() {}

  /**
   * @param done the part of the work that is done, 0 to 1
   * @param width characters that the line has at most
   */
  static String line(double done, Duration since, String step, int width) {
    int full = (int) Math.floor(Math.clamp(done, 0, 1) * WIDTH);
    var line = "[" + "#".repeat(full) + ".".repeat(WIDTH - full) + "] "
        + left(done, since).map(left -> clock(left) + " left  ").orElse("") + step;
    return line.length() < width ? line : line.substring(0, Math.max(0, width - 2)) + "…";
  }

  private static Optional<Duration> left(double done, Duration since) {
    if (done < LEAST) return Optional.empty();
    return Optional.of(Duration.ofMillis((long) (since.toMillis() * (1 - Math.min(1, done)) / done)));
  }

  private static String clock(Duration time) {
    return time.toHours() > 0 ? "%d:%02d:%02d".formatted(time.toHours(), time.toMinutesPart(), time.toSecondsPart())
        : "%d:%02d".formatted(time.toMinutes(), time.toSecondsPart());
  }
}
