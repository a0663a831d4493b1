package tilewright.cli.sweep;

import java.util.Locale;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalDouble;
import tilewright.verification.Row;
import tilewright.verification.RunKey;

/**
 * The payload of a verification's result: one run's key and verdict.
 *
 * @param number counts the cases of equal configuration, from 1
 */
record Verdict(String kernel, String arch, String backend, String config, long seed, int number, String status,
    OptionalDouble maxError, OptionalDouble meanError, Optional<Boolean> bitExact, int findings, double ms,
    String reason) {

  Verdict {
    Objects.requireNonNull(kernel);
    Objects.requireNonNull(arch);
    Objects.requireNonNull(backend);
    Objects.requireNonNull(config);
    Objects.requireNonNull(reason);
    Row.Status.valueOf(status.toUpperCase(Locale.ROOT));
  }

  static Verdict of(RunKey key, Row row) {
    return new Verdict(key.kernel(), key.arch(), key.backend(), key.config(), key.seed(), key.number(),
        row.status().text(), row.maxError(), row.meanError(), row.bitExact(), row.findings(), row.ms(), row.reason());
  }

  String key() {
    return new RunKey(kernel, arch, backend, config, seed, number).text();
  }

  Row row() {
    return new Row(kernel, arch, backend, config, Row.Status.valueOf(status.toUpperCase(Locale.ROOT)), maxError,
        meanError, bitExact, findings, ms, reason).withSeed(seed);
  }
}
