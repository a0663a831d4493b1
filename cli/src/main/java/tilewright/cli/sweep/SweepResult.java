package tilewright.cli.sweep;

import java.util.Objects;
import java.util.Optional;
import tilewright.verification.Row;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * A line of a file of results.
 *
 * @param source the program and the machine that it is of
 * @param run the run's key
 * @param status {@code measured}, or the verdict of a verification
 * @param payload the row, in the form that the command gives it
 */
record SweepResult(SweepSource source, String run, String status, JsonNode payload) {
  /** The status of every run of a command that judges nothing. */
  static final String MEASURED = "measured";

  SweepResult {
    Objects.requireNonNull(source);
    Objects.requireNonNull(run);
    Objects.requireNonNull(status);
    if (!payload.isObject()) throw new IllegalArgumentException("its payload is no object");
  }

  static SweepResult of(SweepSource source, Verdict verdict) {
    return new SweepResult(source, verdict.key(), verdict.status(), JsonMapper.shared().valueToTree(verdict));
  }

  static SweepResult measured(SweepSource source, String run, Object row) {
    return new SweepResult(source, run, MEASURED, JsonMapper.shared().valueToTree(row));
  }

  /** Reads a result, or one of format 1, in which only {@code verify} had results and a line was the verdict itself. */
  static SweepResult of(JsonNode json) {
    if (json.has("payload")) {
      var result = JsonMapper.shared().treeToValue(json, SweepResult.class);
      if (result.source.command().equals(VerifyShard.COMMAND)) result.verdict();
      return result;
    }
    var source = new SweepSource(VerifyShard.COMMAND, json.path("commit").asString(), Optional.empty());
    return of(source, JsonMapper.shared().treeToValue(json, Verdict.class));
  }

  /** Returns the payload of a verification. */
  Verdict verdict() {
    return JsonMapper.shared().treeToValue(payload, Verdict.class);
  }

  boolean isFailed() {
    return status.equals(Row.Status.FAIL.text());
  }
}
