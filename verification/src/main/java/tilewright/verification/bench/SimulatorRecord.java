package tilewright.verification.bench;

import java.util.List;
import java.util.Objects;
import java.util.Optional;

/**
 * The simulator's speed in one run, as the documentation keeps it.
 *
 * @param date ISO date
 * @param vectors whether the JVM had the Vector API
 * @param coldStartMs from the shell's call of {@code sim} on a small launch to its end, where that could be measured
 */
public record SimulatorRecord(String date, String processor, String java, boolean vectors, String commit,
    List<Row> rows, List<Clocked> clocked, Optional<Double> coldStartMs) {
  public SimulatorRecord {
    Objects.requireNonNull(date);
    Objects.requireNonNull(processor);
    Objects.requireNonNull(java);
    Objects.requireNonNull(commit);
    rows = List.copyOf(rows);
    clocked = List.copyOf(clocked);
  }

  /**
   * Joins records of one benchmark that several machines have measured in parts, with the rows in this order and
   * without a start-up time. The date is the last one.
   *
   * @throws IllegalArgumentException if they differ in their processor, commit or Java
   */
  public static SimulatorRecord joined(List<SimulatorRecord> parts) {
    var first = parts.getFirst();
    for (var part : parts) {
      JoinedParts.requireSame("processor", first.processor, part.processor);
      JoinedParts.requireSame("commit", first.commit, part.commit);
      JoinedParts.requireSame("Java", first.java, part.java);
      JoinedParts.requireSame("use of the Vector API", first.vectors, part.vectors);
    }
    return new SimulatorRecord(JoinedParts.last(parts, SimulatorRecord::date), first.processor, first.java,
        first.vectors, first.commit, parts.stream().flatMap(part -> part.rows.stream()).toList(),
        parts.stream().flatMap(part -> part.clocked.stream()).toList(), Optional.empty());
  }

  /** Returns this record with a start-up time. */
  public SimulatorRecord withColdStart(Optional<Double> ms) {
    return new SimulatorRecord(date, processor, java, vectors, commit, rows, clocked, ms);
  }

  /**
   * One kernel on one core, in CPU time.
   *
   * @param instructions thread instructions of a run
   * @param ms median CPU time of a run
   * @param instructionsPerSecond in units of 10⁹ thread instructions
   * @param macPerSecond in units of 10⁹ multiplications with addition
   * @param sanitizerRatio CPU time with the sanitizer over that without, on a quarter of the grid
   * @param usPerCta CPU time of a CTA in the whole grid, and in a quarter of it
   * @param ratio of the GEMM on tensor cores: {@code macPerSecond} over the naive GEMM's {@code instructionsPerSecond},
   *     the median of the rounds in which both took a turn; comparable between machines and between states of one
   * @param ratioSpread the 10th and 90th percentile of the rounds' ratios
   */
  public record Row(String kernel, String config, long instructions, double ms, double instructionsPerSecond,
      double macPerSecond, double sanitizerRatio, double usPerCta, double usPerCtaOfQuarter, Optional<Double> ratio,
      Optional<List<Double>> ratioSpread) {}

  /**
   * One kernel on several cores, by the clock, loading included.
   *
   * @param seconds of every run, in their order: the first meets a JVM that has compiled little of it
   * @param cpuSeconds of every run, by all threads of the JVM, its compilers among them
   * @param sanitizedSeconds of a run with the sanitizer, where one was made
   * @param load the machine's load average before
   */
  public record Clocked(String kernel, String config, int threads, List<Double> seconds,
      List<Double> cpuSeconds, Optional<Double> sanitizedSeconds, double load) {
    public Clocked {
      seconds = List.copyOf(seconds);
      cpuSeconds = List.copyOf(cpuSeconds);
    }
  }
}
