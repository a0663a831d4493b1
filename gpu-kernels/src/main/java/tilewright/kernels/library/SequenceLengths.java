package tilewright.kernels.library;

import java.util.List;
import java.util.stream.IntStream;

/**
 * Lengths of sequences that lie one after the other: of each four one is the longest, one half and two a quarter of it.
 *
 * @param longest a divisor of half of {@code tokens}
 * @param tokens of all of them
 */
record SequenceLengths(int longest, int tokens) {
  private static final List<Integer> SHARES = List.of(1, 2, 4, 4);

  int count() {
    return tokens / (2 * longest) * SHARES.size();
  }

  /** The begin of each sequence, and behind them the end of the last. */
  List<Integer> cumulated() {
    return IntStream.rangeClosed(0, count()).mapToObj(i -> IntStream.range(0, i).map(this::length).sum()).toList();
  }

  /** Pairs of a query and a key of the same sequence. */
  double pairs() {
    return IntStream.range(0, count()).mapToDouble(i -> (double) length(i) * length(i)).sum();
  }

  private int length(int i) {
    return longest / SHARES.get(i % SHARES.size());
  }
}
