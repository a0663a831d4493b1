package tilewright.sm90.attention;

import java.util.List;
import java.util.stream.IntStream;
import tilewright.kernel.F32;
import tilewright.kernel.I32;
import tilewright.kernel.Scope;
import tilewright.kernel.SharedTensor;
import tilewright.kernel.collective.attention.FragmentRows;
import tilewright.kernels.attention.decoding.TokenList;
import tilewright.kernels.attention.serving.Serving.Tokens;
import tilewright.layout.Layout;
import tilewright.numerics.ElementType;

/**
 * The tokens that a tile's query has in its list, of which those of the blocks in shared memory are noted there.
 *
 * @param noted (key, stage) tokens of the blocks, {@link Tokens#NO_TOKEN} where a key is hidden
 */
record ChosenTokens(Scope k, TokenList list, SharedTensor noted) {
  /** Neighbours that a thread has of each of its rows of scores. */
  private static final int PAIR = 2;

  /** @param rows of a page */
  static ChosenTokens of(Scope k, int rows) {
    return new ChosenTokens(k, TokenList.of(k, rows),
        k.shared(ElementType.I32, Layout.columnMajor(MlaConfig.KEYS, MlaConfig.STAGES)));
  }

  /** Scores of a stage's block, −∞ where a key is hidden. */
  List<F32> masked(I32 lane, FragmentRows of, int stage, List<F32> scores) {
    var hidden = k.constant(Float.NEGATIVE_INFINITY);
    var masked = new F32[scores.size()];
    int beside = of.neighbour();
    for (int row = 0; row < of.count(); row++) {
      for (int value : of.of(row)) {
        if (value / beside % PAIR > 0) continue;
        var tokens = noted.at(of.column(lane).plus(of.columnOffset(value)), k.constant(stage)).vector(PAIR).integers();
        IntStream.range(0, PAIR).forEach(i -> masked[value + i * beside] =
            scores.get(value + i * beside).where(tokens.get(i).atLeast(0), hidden));
      }
    }
    return List.of(masked);
  }
}
