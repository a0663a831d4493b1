package tilewright.sm90.attention;

import tilewright.kernel.TensorSpec;
import tilewright.kernel.collective.attention.Band;
import tilewright.layout.OffsetMap;
import tilewright.numerics.ElementType;
import tilewright.sm90.atom.SwizzledRows;
import tilewright.sm90.atom.WgmmaAtom;

/**
 * What is fixed when Hopper attention is traced.
 *
 * @param type of Q, K, V and O: f16 or bf16
 * @param depth extent of Q's and K's heads in tiles
 * @param width extent of V's and O's heads in tiles
 * @param consumers warpgroups that multiply, each with 64 queries
 * @param keys of a block
 * @param stages blocks of K, and of V, in shared memory
 * @param turns whether warpgroups take turns at issuing products
 * @param apart whether O has shared memory of its own; else it takes Q's
 * @param headsTogether heads whose tiles run side by side, so that their K and V stay in L2
 * @param band the keys that a query sees
 */
public record Sm90AttentionConfig(ElementType type, int depth, int width, int consumers, int keys, int stages,
    boolean turns, boolean apart, int headsTogether, Band band) {
  private static final int ALIGNED_BYTES = 16;

  int threads() {
    return WgmmaAtom.THREADS * (consumers + 1);
  }

  /** Queries of a tile. */
  int queries() {
    return WgmmaAtom.M * consumers;
  }

  int producerRegisters() {
    return consumers == 3 ? 32 : 24;
  }

  int consumerRegisters() {
    return consumers == 3 ? 160 : 240;
  }

  TensorSpec q() {
    return tensor("Q", "SQ", "D", "H", "D");
  }

  TensorSpec k() {
    return tensor("K", "SK", "D", "HK", "D");
  }

  TensorSpec v() {
    return tensor("V", "DV", "SK", "HK", "DV");
  }

  TensorSpec o() {
    return tensor("O", "SQ", "DV", "H", "DV");
  }

  private TensorSpec tensor(String name, String rows, String columns, String heads, String contiguous) {
    return TensorSpec.of(name, type, rows, columns, heads, "B").contiguous(contiguous)
        .aligned(ALIGNED_BYTES / type.bytes());
  }

  TensorSpec lse() {
    return TensorSpec.of("LSE", ElementType.F32, "SQ", "H", "B").contiguous("SQ");
  }

  /** A stage of Q is what a warpgroup has. */
  OffsetMap layoutQ() {
    return SwizzledRows.alongColumns(type, WgmmaAtom.M, depth, consumers);
  }

  OffsetMap layoutO() {
    return SwizzledRows.alongColumns(type, WgmmaAtom.M, width, consumers);
  }

  OffsetMap layoutK() {
    return SwizzledRows.alongColumns(type, keys, depth, stages);
  }

  OffsetMap layoutV() {
    return SwizzledRows.alongRows(type, width, keys, stages);
  }
}
