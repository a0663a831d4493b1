package tilewright.sm100.attention;

import tilewright.kernel.F32;
import tilewright.kernel.GlobalTensor;
import tilewright.kernel.I32;
import tilewright.kernel.Scope;
import tilewright.kernel.collective.attention.AttentionTiles.Tile;
import tilewright.kernels.attention.AttentionProblem.Factors;
import tilewright.kernels.attention.AttentionSpecs;
import tilewright.sm100.attention.Sm100AttentionConfig.Quantized;

/**
 * The factors of e4m3 operands in global memory, (blocks of rows, heads, batch entries or packed sequences) each.
 *
 * @param quantized how many rows share a factor
 */
record OperandFactors(Quantized quantized, GlobalTensor queries, GlobalTensor keys, GlobalTensor values) {

  static OperandFactors of(Scope k, Quantized quantized) {
    return new OperandFactors(quantized, k.global(AttentionSpecs.factors("descaleQ")),
        k.global(AttentionSpecs.factors("descaleK")), k.global(AttentionSpecs.factors("descaleV")));
  }

  /** The factor of a query, counted from its sequence's first; behind the last query, that of the last. */
  F32 ofQuery(Tile tile, I32 query) {
    var existing = query.min(tile.sequence().queries().plus(-1));
    return factor(queries, existing, quantized.queries(), tile.head(), tile.batch());
  }

  /** K's factor of a key and its block. */
  F32 ofKey(Tile tile, I32 key) {
    return factor(keys, key, quantized.keys(), tile.headOfKeys(), tile.batch());
  }

  /** V's factor of a key and its block. */
  F32 ofValue(Tile tile, I32 key) {
    return factor(values, key, quantized.values(), tile.headOfKeys(), tile.batch());
  }

  private static F32 factor(GlobalTensor factors, I32 row, int rows, I32 head, I32 entry) {
    var block = rows == Factors.WHOLE ? row.constant(0) : row.dividedBy(rows);
    return factors.at(block, head, entry).load();
  }
}
