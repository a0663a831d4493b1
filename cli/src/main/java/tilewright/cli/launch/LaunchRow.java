package tilewright.cli.launch;

import com.fasterxml.jackson.annotation.JsonInclude;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.stream.Collectors;
import tilewright.cli.io.CommandFailure;
import tilewright.cli.io.Exit;
import tilewright.simulator.Exploration;
import tilewright.simulator.Finding;
import tilewright.simulator.Profile;

/**
 * The result of one launch.
 *
 * @param mismatch where the outputs differ from the expected ones
 * @param findings the faults that the sanitizer or the GPU reported
 * @param instructions thread instructions executed, where they are counted
 * @param error why the launch could not be run at all
 * @param sanitized whether the sanitizer watched, where there is one
 * @param profile what the launch did, where that was asked for
 * @param exploration of its schedules, where that was asked for
 */
record LaunchRow(String launch, Status status, boolean ok, Optional<String> mismatch, List<?> findings,
    Optional<Long> instructions, double ms, @JsonInclude(JsonInclude.Include.NON_ABSENT) Optional<String> error,
    @JsonInclude(JsonInclude.Include.NON_ABSENT) Optional<Boolean> sanitized,
    @JsonInclude(JsonInclude.Include.NON_ABSENT) Optional<Profile> profile,
    @JsonInclude(JsonInclude.Include.NON_ABSENT) Optional<Explored> exploration) {

  /**
   * The effort of an exploration, and its end.
   *
   * @param schedule of the last run; absent where all are as good
   */
  record Explored(String outcome, long schedules, long steps, int longest,
      @JsonInclude(JsonInclude.Include.NON_ABSENT) Optional<String> schedule) {
    static Explored of(Exploration e) {
      boolean clean = e.outcome() == Exploration.Outcome.PROVED || e.outcome() == Exploration.Outcome.LIMITED;
      return new Explored(e.outcome().name().toLowerCase(Locale.ROOT).replace('_', ' '), e.schedules(), e.steps(),
          e.longest(), clean ? Optional.empty() : Optional.of(e.schedule().text()));
    }
  }

  /** Turns of a schedule that the text shows. */
  private static final int MOST_LINES = 40;

  /** The end of a launch, with its exit code. */
  enum Status {
    OK("ok", Exit.OK),
    LIMITED("not explored to the end", Exit.CHECK_FAILED),
    DIFF("differs", Exit.CHECK_FAILED), FOUND("with findings", Exit.CHECK_FAILED),
    REFUSED("refused", Exit.BAD_INPUT), LACKING("beyond this machine", Exit.ENVIRONMENT),
    BROKEN("ended by an error of Tilewright", Exit.CHECK_FAILED);

    private final String summary;
    private final int exitCode;

    Status(String summary, int exitCode) {
      this.summary = summary;
      this.exitCode = exitCode;
    }

    private static Status of(CommandFailure failure) {
      return switch (failure.exitCode()) {
        case Exit.BAD_INPUT -> REFUSED;
        case Exit.ENVIRONMENT -> LACKING;
        default -> BROKEN;
      };
    }

    /** The word of the summary, as in {@code 2 differs}. */
    String summary() {
      return summary;
    }
  }

  static LaunchRow of(String launch, Backend.Result result, Optional<String> mismatch) {
    boolean lacking = result.findings().stream()
        .anyMatch(f -> f instanceof Finding finding && finding.kind() == Finding.Kind.MEMORY_LIMIT);
    var status = lacking ? Status.LACKING : !result.findings().isEmpty() ? Status.FOUND
        : mismatch.isPresent() ? Status.DIFF : Status.OK;
    return new LaunchRow(launch, status, status == Status.OK, mismatch, result.findings(), result.instructions(),
        result.ms(), Optional.empty(), Optional.empty(), result.profile(), Optional.empty());
  }

  /** @param mismatch where the outputs of a launch that was proved differ from the expected ones */
  static LaunchRow of(String launch, Exploration e, Optional<String> mismatch) {
    var result = new Backend.Result(e.findings(), Optional.empty(), e.time().toNanos() / 1e6, Optional.empty());
    var difference = e.difference().isEmpty() ? mismatch : Optional.of(e.difference());
    var row = of(launch, result, difference);
    var status = e.outcome() == Exploration.Outcome.LIMITED && row.ok ? Status.LIMITED : row.status;
    return new LaunchRow(launch, status, status == Status.OK, difference, row.findings, row.instructions, row.ms,
        Optional.empty(), Optional.of(true), Optional.empty(), Optional.of(Explored.of(e)));
  }

  /** A launch that was not run, or not to its end. */
  static LaunchRow failed(String launch, CommandFailure failure) {
    return failed(launch, Status.of(failure), failure.getMessage());
  }

  /** A launch that the simulator cannot run as it is. */
  static LaunchRow refused(String launch, String error) {
    return failed(launch, Status.REFUSED, error);
  }

  private static LaunchRow failed(String launch, Status status, String error) {
    return new LaunchRow(launch, status, false, Optional.empty(), List.of(), Optional.empty(), 0,
        Optional.of(error), Optional.empty(), Optional.empty(), Optional.empty());
  }

  LaunchRow withoutProfile() {
    return new LaunchRow(launch, status, ok, mismatch, findings, instructions, ms, error, sanitized, Optional.empty(),
        exploration);
  }

  /** Returns this row as that of a run that the sanitizer watched, or did not. */
  LaunchRow sanitized(boolean watched) {
    return new LaunchRow(launch, status, ok, mismatch, findings, instructions, ms, error, Optional.of(watched),
        profile, exploration);
  }

  int exitCode() {
    return status.exitCode;
  }

  /** One line for people, and a paragraph below it for each finding. */
  String toText() {
    var text = new StringBuilder("%-7s  ".formatted(status));
    if (error.isPresent()) return text.append(error.get()).toString();
    text.append(launch).append(String.format(Locale.ROOT, "  %.1f ms", ms));
    instructions.ifPresent(n -> text.append(", ").append(n).append(" instructions"));
    exploration.ifPresent(e -> text.append(", ").append(e.outcome).append(" after ").append(e.schedules)
        .append(e.schedules == 1 ? " schedule of " : " schedules, the longest of ").append(e.longest)
        .append(e.longest == 1 ? " step" : " steps"));
    sanitized.filter(watched -> !watched).ifPresent(_ -> text.append(", not sanitized"));
    mismatch.ifPresent(m -> text.append("  ").append(m));
    findings.forEach(f -> text.append("\n         ").append(f));
    exploration.flatMap(Explored::schedule).ifPresent(s -> text.append('\n').append(indented(shortened(s))));
    profile.ifPresent(p -> text.append('\n').append(indented(ProfileText.of(p))));
    return text.toString();
  }

  private static String shortened(String schedule) {
    var lines = schedule.lines().skip(1).toList();
    int more = lines.size() - MOST_LINES;
    return "schedule: " + String.join(", ", lines.subList(0, Math.min(lines.size(), MOST_LINES)))
        + (more > 0 ? " and " + more + " more turns; --save-schedule FILE writes all" : "");
  }

  private static String indented(String text) {
    return text.lines().map(line -> line.isEmpty() ? line : "         " + line).collect(Collectors.joining("\n"));
  }
}
