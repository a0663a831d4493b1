package tilewright.kernels.attention.decoding;

import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.IntStream;
import tilewright.kernel.F32;
import tilewright.kernel.I32;
import tilewright.kernel.Scope;
import tilewright.kernel.collective.attention.AttentionTiles.Tile;
import tilewright.kernel.collective.attention.FragmentRows;

/**
 * The places of a thread's columns of S at which its query has a token; scores at others are hidden.
 *
 * @param rows of S
 * @param tokens by column, counted from the thread's first; negative where there is none
 */
record TokenMask(Scope k, FragmentRows rows, SortedMap<Integer, I32> tokens) {
  /**
   * Reads the tokens of a block.
   *
   * @param first place of the query's list with which the block begins
   */
  static TokenMask read(Scope k, TokenList list, FragmentRows rows, Tile tile, I32 first, I32 member) {
    var origin = first.plus(rows.column(member)).settled();
    var tokens = new TreeMap<Integer, I32>();
    for (int value = 0; value < rows.partition().values(); value++) {
      tokens.computeIfAbsent(rows.columnOffset(value), column -> list.token(tile, origin.plus(column)));
    }
    return new TokenMask(k, rows, tokens);
  }

  /** Makes scores −∞ where there is no token. */
  List<F32> apply(List<F32> scores) {
    var hidden = k.constant(Float.NEGATIVE_INFINITY);
    return IntStream.range(0, scores.size()).mapToObj(value ->
        scores.get(value).where(tokens.get(rows.columnOffset(value)).atLeast(0), hidden)).toList();
  }
}
