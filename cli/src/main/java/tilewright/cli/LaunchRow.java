package tilewright.cli;

import com.fasterxml.jackson.annotation.JsonInclude;
import java.util.List;
import java.util.Optional;

/**
 * What became of one launch.
 *
 * @param mismatch where the outputs differ from the expected ones
 * @param findings what is wrong with the launch
 * @param instructions thread instructions executed, where they are counted
 * @param error why the launch could not be run at all
 */
record LaunchRow(String launch, boolean ok, Optional<String> mismatch, List<?> findings, Optional<Long> instructions,
    double ms, @JsonInclude(JsonInclude.Include.NON_ABSENT) Optional<String> error) {

  static LaunchRow of(String launch, Backend.Result result, Optional<String> mismatch) {
    return new LaunchRow(launch, result.findings().isEmpty() && mismatch.isEmpty(), mismatch, result.findings(),
        result.instructions(), result.ms(), Optional.empty());
  }

  static LaunchRow failed(String launch, String error) {
    return new LaunchRow(launch, false, Optional.empty(), List.of(), Optional.empty(), 0, Optional.of(error));
  }

  int exitCode() {
    return ok ? Exit.OK : error.isPresent() ? Exit.BAD_INPUT : Exit.CHECK_FAILED;
  }

  /** One line for people, with a line below it for each complaint. */
  String toText() {
    if (error.isPresent()) return "error " + error.get();
    var text = new StringBuilder("%-5s %s  %.1f ms".formatted(ok ? "ok" : "FAIL", launch, ms));
    instructions.ifPresent(n -> text.append(", ").append(n).append(" instructions"));
    mismatch.ifPresent(m -> text.append("\n      ").append(m));
    findings.forEach(f -> text.append("\n      ").append(f));
    return text.toString();
  }
}
