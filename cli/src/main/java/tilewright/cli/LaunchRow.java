package tilewright.cli;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonIgnore;
import java.util.List;
import java.util.Optional;

/**
 * What became of one launch.
 *
 * @param mismatch where the outputs differ from the expected ones
 * @param findings what the sanitizer or the GPU complained about
 * @param instructions executed by the simulator; none on a GPU
 * @param error why the launch could not be run at all
 */
@JsonInclude(JsonInclude.Include.NON_ABSENT)
record LaunchRow(String launch, boolean ok, @JsonInclude Optional<String> mismatch, @JsonInclude List<Object> findings,
    Optional<Long> instructions, double ms, Optional<String> error) {

  static LaunchRow failed(String launch, String error) {
    return new LaunchRow(launch, false, Optional.empty(), List.of(), Optional.empty(), 0, Optional.of(error));
  }

  @JsonIgnore
  int exitCode() {
    return ok ? Exit.OK : error.isPresent() ? Exit.BAD_INPUT : Exit.CHECK_FAILED;
  }

  /** One line for people, with a line below it for each complaint. */
  String toText() {
    var text = new StringBuilder(ok ? "ok    " : error.isPresent() ? "error " : "FAIL  ").append(launch);
    error.ifPresent(e -> text.append(": ").append(e));
    if (error.isEmpty()) text.append("  %.1f ms".formatted(ms));
    instructions.ifPresent(n -> text.append(", ").append(n).append(" instructions"));
    mismatch.ifPresent(m -> text.append("\n      ").append(m));
    findings.forEach(f -> text.append("\n      ").append(f));
    return text.toString();
  }
}
