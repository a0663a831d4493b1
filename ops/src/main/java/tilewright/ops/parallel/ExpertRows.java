package tilewright.ops.parallel;

import java.util.Arrays;
import java.util.stream.IntStream;

/**
 * The order of the rows that one rank exchanges with all others. Each rank sends its rows in the order (rank, expert),
 * and receives those of its own experts in the order (sender, expert), so that what two ranks exchange lies together.
 * The experts' GEMMs read them in the order (expert, sender).
 *
 * @param rank whose rows these are
 * @param counts the rows that each rank has for each expert of all
 */
record ExpertRows(int rank, int[][] counts) {
  /** Makes them of the counts of all ranks, one rank after the other. */
  static ExpertRows of(int rank, int[] counts, int experts) {
    return new ExpertRows(rank, IntStream.range(0, counts.length / experts)
        .mapToObj(each -> Arrays.copyOfRange(counts, each * experts, (each + 1) * experts)).toArray(int[][]::new));
  }

  /** Returns the number of experts of each rank. */
  int experts() {
    return counts[0].length / counts.length;
  }

  /** Returns where the rows for each rank begin among those that this rank sends, and where the last ones end. */
  int[] sent() {
    return starts(IntStream.range(0, counts.length).map(to -> between(rank, to)));
  }

  /** Returns where the rows of each rank begin among those that this rank receives, and where the last ones end. */
  int[] received() {
    return starts(IntStream.range(0, counts.length).map(from -> between(from, rank)));
  }

  /** Returns where the rows of each of this rank's experts begin in the order of experts, and where the last end. */
  int[] ofExperts() {
    return starts(IntStream.range(0, experts()).map(own -> IntStream.range(0, counts.length)
        .map(from -> count(from, own)).sum()));
  }

  /** Returns the number in the order (sender, expert) of each row in the order (expert, sender). */
  int[] senders() {
    var received = received();
    var next = ofExperts();
    var order = new int[received[counts.length]];
    for (int from = 0; from < counts.length; from++) {
      int number = received[from];
      for (int own = 0; own < experts(); own++) {
        for (int i = 0; i < count(from, own); i++) order[next[own]++] = number++;
      }
    }
    return order;
  }

  /** The rows of a rank for one of this rank's experts. */
  private int count(int from, int own) {
    return counts[from][rank * experts() + own];
  }

  /** The rows that one rank sends to another. */
  private int between(int from, int to) {
    return Arrays.stream(counts[from], to * experts(), (to + 1) * experts()).sum();
  }

  /**
   * Returns the place of each choice in the order of experts.
   *
   * @param counts the choices of each expert
   */
  static int[] places(int[] chosen, int[] counts) {
    var next = starts(IntStream.of(counts));
    var places = new int[chosen.length];
    for (int i = 0; i < chosen.length; i++) places[i] = next[chosen[i]]++;
    return places;
  }

  /** Returns the sums of the counts before each, and of all. */
  private static int[] starts(IntStream counts) {
    var sizes = counts.toArray();
    var starts = new int[sizes.length + 1];
    for (int i = 0; i < sizes.length; i++) starts[i + 1] = Math.addExact(starts[i], sizes[i]);
    return starts;
  }

  /** Returns the permutation that undoes another. */
  static int[] inverse(int[] order) {
    var inverse = new int[order.length];
    for (int i = 0; i < order.length; i++) inverse[order[i]] = i;
    return inverse;
  }
}
