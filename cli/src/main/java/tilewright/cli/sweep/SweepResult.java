package tilewright.cli.sweep;

import java.util.Locale;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalDouble;
import tilewright.verification.Row;
import tilewright.verification.RunKey;

/**
 * A line of a file of results: one run's key and verdict.
 *
 * @param commit of the program
 * @param number counts the cases of equal configuration, from 1
 */
record SweepResult(String commit, String kernel, String arch, String backend, String config, long seed, int number,
    String status, OptionalDouble maxError, OptionalDouble meanError, Optional<Boolean> bitExact, int findings,
    double ms, String reason) {

  SweepResult {
    Objects.requireNonNull(commit);
    Objects.requireNonNull(kernel);
    Objects.requireNonNull(arch);
    Objects.requireNonNull(backend);
    Objects.requireNonNull(config);
    Objects.requireNonNull(reason);
    Row.Status.valueOf(status.toUpperCase(Locale.ROOT));
  }

  static SweepResult of(String commit, RunKey key, Row row) {
    return new SweepResult(commit, key.kernel(), key.arch(), key.backend(), key.config(), key.seed(), key.number(),
        row.status().text(), row.maxError(), row.meanError(), row.bitExact(), row.findings(), row.ms(), row.reason());
  }

  String key() {
    return new RunKey(kernel, arch, backend, config, seed, number).text();
  }

  Row.Status verdict() {
    return Row.Status.valueOf(status.toUpperCase(Locale.ROOT));
  }

  boolean isFailed() {
    return verdict() == Row.Status.FAIL;
  }

  Row row() {
    return new Row(kernel, arch, backend, config, verdict(), maxError, meanError, bitExact, findings, ms, reason)
        .withSeed(seed);
  }
}
