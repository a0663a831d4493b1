package tilewright.verification;

import java.util.List;
import java.util.Optional;

/**
 * How fast the simulator was in one run, as it is kept in the documentation.
 *
 * @param date ISO date
 * @param vectors whether the JVM had the Vector API
 * @param coldStartMs from the shell's call of {@code sim} on a small launch to its end, where that could be measured
 */
public record SimulatorRecord(String date, String processor, String java, boolean vectors, String commit,
    List<Row> rows, Optional<Double> coldStartMs) {
  public SimulatorRecord {
    rows = List.copyOf(rows);
  }

  /** With a start-up time. */
  public SimulatorRecord withColdStart(Optional<Double> ms) {
    return new SimulatorRecord(date, processor, java, vectors, commit, rows, ms);
  }

  /**
   * One kernel on one core, in CPU time.
   *
   * @param instructions thread instructions of a run
   * @param ms median CPU time of a run
   * @param instructionsPerSecond in units of 10⁹ thread instructions
   * @param macPerSecond in units of 10⁹ multiplications with addition
   * @param sanitizerRatio CPU time with the sanitizer over that without
   * @param usPerCta CPU time of a CTA in the whole grid, and in a quarter of it
   */
  public record Row(String kernel, String config, long instructions, double ms, double instructionsPerSecond,
      double macPerSecond, double sanitizerRatio, double usPerCta, double usPerCtaOfQuarter) {}
}
