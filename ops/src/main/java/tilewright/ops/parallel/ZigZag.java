package tilewright.ops.parallel;

import java.util.Arrays;
import java.util.stream.IntStream;

/**
 * The order in which a sequence is spread over ranks, so that each has as much of a causal mask as any other: the
 * sequence is cut into two chunks per rank, and rank r has chunk r and the one as far from the end.
 *
 * @param tokens of the whole sequence
 */
public record ZigZag(int ranks, int tokens) {
  public ZigZag {
    if (ranks < 1) throw new IllegalArgumentException("invalid number of ranks " + ranks + ": at least 1");
    if (tokens < 0 || tokens % (2 * ranks) != 0) {
      throw new IllegalArgumentException("cannot cut " + tokens + " tokens into " + 2 * ranks
          + " chunks for " + ranks + " ranks: needed is a multiple, so pad the sequence");
    }
  }

  /** Returns the tokens of a chunk. */
  public int chunk() {
    return tokens / (2 * ranks);
  }

  /** Returns the number of a rank's second chunk; that of its first is the rank. */
  public int second(int rank) {
    return 2 * ranks - 1 - rank;
  }

  /** Returns the positions of a rank's tokens, in their order, such as for rotary embeddings. */
  public int[] positions(int rank) {
    var first = IntStream.range(0, chunk()).map(i -> rank * chunk() + i);
    return IntStream.concat(first, IntStream.range(0, chunk()).map(i -> second(rank) * chunk() + i)).toArray();
  }

  /**
   * Returns a rank's tokens.
   *
   * @param whole the numbers of all tokens, one token after the other
   */
  public float[] part(float[] whole, int rank) {
    int chunk = whole.length / (2 * ranks);
    var part = Arrays.copyOf(Arrays.copyOfRange(whole, rank * chunk, (rank + 1) * chunk), 2 * chunk);
    System.arraycopy(whole, second(rank) * chunk, part, chunk, chunk);
    return part;
  }
}
