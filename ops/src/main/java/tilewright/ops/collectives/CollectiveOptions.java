package tilewright.ops.collectives;

import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;

/**
 * Options of a communicator: {@code CollectiveOptions.of().timeout(Duration.ofSeconds(30))}.
 *
 * @param timeout how long a rank waits for others, to begin with and for results
 * @param library NCCL's library, which is searched for if none is given
 * @param checked whether processes compare their calls before each
 */
public record CollectiveOptions(Duration timeout, Optional<Path> library, boolean checked) {
  private static final Duration DEFAULT_TIMEOUT = Duration.ofMinutes(5);

  public CollectiveOptions {
    if (timeout.isNegative() || timeout.isZero()) {
      throw new IllegalArgumentException("invalid timeout " + timeout + ": it must be positive");
    }
  }

  /** Ranks wait for five minutes, and NCCL is searched for. */
  public static CollectiveOptions of() {
    return new CollectiveOptions(DEFAULT_TIMEOUT, Optional.empty(), false);
  }

  /** Ranks wait for another time. */
  public CollectiveOptions timeout(Duration duration) {
    return new CollectiveOptions(duration, library, checked);
  }

  /** NCCL is this library. */
  public CollectiveOptions library(Path path) {
    return new CollectiveOptions(timeout, Optional.of(path), checked);
  }

  /**
   * Processes tell each other before each call which one it is, and wait for the answer: for tests and for finding
   * mistakes. Ranks of one process always compare their calls, without waiting.
   */
  public CollectiveOptions check() {
    return new CollectiveOptions(timeout, library, true);
  }
}
