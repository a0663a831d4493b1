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
 * @param copyEngines whether GPUs of one process send each other tensors without a kernel
 */
public record CollectiveOptions(Duration timeout, Optional<Path> library, boolean checked, boolean copyEngines) {
  private static final Duration DEFAULT_TIMEOUT = Duration.ofMinutes(5);

  public CollectiveOptions {
    if (timeout.isNegative() || timeout.isZero()) {
      throw new IllegalArgumentException("invalid timeout " + timeout + ": it must be positive");
    }
  }

  /** Ranks wait for five minutes, NCCL is searched for, and copy engines copy what they can. */
  public static CollectiveOptions of() {
    return new CollectiveOptions(DEFAULT_TIMEOUT, Optional.empty(), false, true);
  }

  /** Ranks wait for another time. */
  public CollectiveOptions timeout(Duration duration) {
    return new CollectiveOptions(duration, library, checked, copyEngines);
  }

  /** NCCL is this library. */
  public CollectiveOptions library(Path path) {
    return new CollectiveOptions(timeout, Optional.of(path), checked, copyEngines);
  }

  /**
   * Processes tell each other before each call which one it is, and wait for the answer: for tests and for finding
   * mistakes. Ranks of one process always compare their calls, without waiting.
   */
  public CollectiveOptions check() {
    return new CollectiveOptions(timeout, library, true, copyEngines);
  }

  /**
   * Chooses how GPUs of one process send each other tensors: by their copy engines, which take no SM from the
   * operators, or by NCCL's kernels as all else.
   */
  public CollectiveOptions copyEngines(boolean used) {
    return new CollectiveOptions(timeout, library, checked, used);
  }
}
