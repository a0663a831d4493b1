package tilewright.cli.cuda;

import com.fasterxml.jackson.annotation.JsonInclude;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import tilewright.cli.io.Console;
import tilewright.simulator.Finding;

/** Tells what is wrong with a program's kernels: each mistake once, when it first happens. */
final class Report {
  private final Console console;
  private final Set<Mistake> mistakes = new HashSet<>();
  private final KernelProfiles profiles = new KernelProfiles();
  private long launches;
  private long watched;
  private long faulty;
  private long refused;
  private Optional<String> unsuitable = Optional.empty();

  private record Mistake(String kernel, Finding.Kind kind, int line, String source) {}

  /**
   * The outcome as a JSON object.
   *
   * @param kernels with their profiles, where these were asked for
   */
  record Row(String program, int status, long launches, long faulty, long refused, int findings,
      @JsonInclude(JsonInclude.Include.NON_EMPTY) List<KernelProfiles.Counted> kernels) {}

  Report(Console console) {
    this.console = console;
  }

  /**
   * Counts a launch and returns its number.
   *
   * @param isWatched whether its kernel is one of those to watch
   */
  synchronized long launched(boolean isWatched) {
    if (isWatched) watched++;
    return ++launches;
  }

  synchronized boolean hasWatched() {
    return watched > 0;
  }

  KernelProfiles profiles() {
    return profiles;
  }

  synchronized void note(String message) {
    console.note(message);
  }

  synchronized void found(String kernel, long launch, List<Finding> findings) {
    if (findings.isEmpty()) return;
    faulty++;
    for (var f : findings) {
      if (!mistakes.add(new Mistake(kernel, f.kind(), f.line(), f.source()))) continue;
      console.note("kernel " + kernel + ", launch " + launch + ": " + f.describe());
    }
  }

  /** A request that the simulator cannot fulfil. */
  synchronized void refused(String message) {
    refused++;
    console.note(message);
  }

  /** The program cannot run here at all, and ends. */
  synchronized void unsuitable(String why) {
    unsuitable = Optional.of(why);
  }

  /** Why the program cannot run here, if it cannot. */
  synchronized Optional<String> unsuitable() {
    return unsuitable;
  }

  synchronized boolean clean() {
    return faulty == 0 && refused == 0;
  }

  synchronized Row row(String program, int status) {
    return new Row(program, status, launches, faulty, refused, mistakes.size(), profiles.all());
  }

  synchronized String summary(boolean sanitized) {
    var findings = mistakes.size() == 1 ? " finding in " : " findings in ";
    var outcome = mistakes.isEmpty() ? "nothing found" : mistakes.size() + findings + faulty + " of them";
    return launches + (launches == 1 ? " launch" : " launches") + (sanitized ? ", sanitized: " : ": ") + outcome
        + (refused == 0 ? "" : "; " + refused + (refused == 1 ? " request was refused" : " requests were refused"));
  }
}
