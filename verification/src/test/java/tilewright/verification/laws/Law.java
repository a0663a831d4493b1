package tilewright.verification.laws;

import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Predicate;
import java.util.stream.Stream;
import tilewright.verification.LongSuite;

/**
 * A law and the cases that were tried. A law's check returns whether the case is one that the law speaks of, and throws
 * where the law does not hold. {@code mvn -Pfull} tries every case within the bound and leaves a line for each law in
 * {@code target/laws}, for the documentation; other builds try one case in eight, the same ones every time.
 *
 * @param number in the documentation
 */
record Law(int number, String statement) {
  private static final Path REPORT = Path.of("target", "laws");

  /**
   * Checks the cases, or the sample of them.
   *
   * @param atLeast of all the cases, the number that the law must speak of: otherwise nothing would be proved
   */
  <T> void holdsFor(String bound, long atLeast, Stream<T> cases, Predicate<T> check) {
    var tried = new LongAdder();
    var spokenOf = new LongAdder();
    cases.filter(LongSuite::includes).forEach(c -> {
      tried.increment();
      if (check.test(c)) spokenOf.increment();
    });
    if (LongSuite.EVERY_CASE) report(bound, tried.sum(), spokenOf.sum());
    assertTrue(spokenOf.sum() >= LongSuite.least(atLeast), () -> "the law spoke of " + spokenOf + " cases only");
  }

  private void report(String bound, long tried, long spokenOf) {
    var line = String.format(Locale.ROOT, "%d\t%s\t%s\t%d\t%d", number, statement, bound, tried, spokenOf);
    System.out.printf(Locale.ROOT, "law %2d: %,11d of %,11d cases: %s (%s)%n", number, spokenOf, tried, statement,
        bound);
    try {
      Files.createDirectories(REPORT);
      Files.writeString(REPORT.resolve("%02d-%08x.txt".formatted(number, (statement + bound).hashCode())), line + "\n");
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
