package tilewright.simulator.fuzz;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.stream.Stream;
import tilewright.simulator.fuzz.PtxTrial.Failure;

/** Tries mutated PTX texts, one after the other, each by its number; keeps the shortest of each kind of failure. */
public final class PtxFuzzer {
  private static final Duration PATIENCE = Duration.ofSeconds(20);

  private final PtxSource source;
  private final PtxMutator mutator;
  private final Map<String, Failure> failures = new TreeMap<>();

  public PtxFuzzer(PtxSource source) {
    this.source = source;
    mutator = new PtxMutator(source.words());
  }

  /** Returns the text with this number: the same on every machine. */
  String text(long number) {
    var random = new SplittableRandom(number);
    return mutator.mutate(source.next(random), random);
  }

  /** Tries {@code count} texts; returns the failures since this was made, one of each kind, shrunk. */
  public List<Failure> run(long first, long count) {
    for (long n = first; n < first + count; n++) {
      long number = n;
      watched(text(n), n).ifPresent(f -> failures.merge(f.signature(), named(f, number),
          (a, b) -> a.text().length() <= b.text().length() ? a : b));
    }
    return failures.values().stream().map(PtxFuzzer::shrunk).toList();
  }

  private static Failure named(Failure f, long number) {
    return new Failure(f.signature(), f.text(), "number " + number + ": " + f.message());
  }

  /** Tries a text; one that takes too long is a failure as well. */
  static Optional<Failure> watched(String text, long seed) {
    var task = new FutureTask<>(() -> PtxTrial.of(text, seed));
    var thread = Thread.ofPlatform().daemon().start(task);
    try {
      return task.get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
    } catch (TimeoutException _) {
      var where = Stream.of(thread.getStackTrace()).map(Object::toString).filter(f -> f.startsWith("tilewright."))
          .findFirst().orElse("?");
      thread.interrupt();
      return Optional.of(new Failure("hang at " + where, text, "more than " + PATIENCE));
    } catch (ExecutionException | InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  /** Leaves out lines, then tokens, as long as the same goes wrong. */
  private static Failure shrunk(Failure failure) {
    if (failure.signature().startsWith("hang")) return failure;
    var lines = shrunk(failure, "(?<=\n)");
    return shrunk(lines, "(?<=[;,{}])");
  }

  private static Failure shrunk(Failure failure, String boundary) {
    var smallest = failure;
    boolean smaller = true;
    while (smaller) {
      smaller = false;
      var parts = smallest.text().split(boundary);
      for (int i = parts.length - 1; i >= 0; i--) {
        var without = parts.clone();
        without[i] = "";
        var text = String.join("", without);
        var again = Stream.of(0L, 1L, 7L).map(seed -> PtxTrial.of(text, seed)).flatMap(Optional::stream)
            .filter(f -> f.signature().equals(failure.signature())).findFirst();
        if (again.isEmpty()) continue;
        smallest = new Failure(failure.signature(), text, failure.message());
        parts = without;
        smaller = true;
      }
      if (boundary.contains("\n")) break;
    }
    return smallest;
  }
}
