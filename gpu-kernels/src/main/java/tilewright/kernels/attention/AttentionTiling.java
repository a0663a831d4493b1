package tilewright.kernels.attention;

import tilewright.kernel.Warp;
import tilewright.kernel.tiled.TiledMma;
import tilewright.numerics.ElementType;

/**
 * The tiles of a CTA of SM80 attention.
 *
 * @param tileM queries of a tile
 * @param tileN keys of a block
 * @param dim head dimension of Q and K; {@code valueDim} that of V and O
 * @param chunk columns of K that come at a time, of Q too unless it stays; {@code valueChunk} columns of V and O
 * @param valueKeys keys of V that come at a time
 * @param warpsM warps along the queries
 * @param warpsN warps that share rows: each has some of the keys of S, and some of the columns of O
 * @param scoreType type of S in registers: f32 or f16; {@code outputType} of O
 */
record AttentionTiling(int tileM, int tileN, int dim, int valueDim, int chunk, int valueChunk, int valueKeys,
    int warpsM, int warpsN, ElementType scoreType, ElementType outputType) {

  int threads() {
    return Warp.SIZE * warpsM * warpsN;
  }

  /** A chunk of S = Q·Kᵀ: (queries, keys), over the head dimension. */
  TiledMma.Shape scores() {
    return new TiledMma.Shape(tileM, tileN, chunk, warpsM, warpsN, true, true);
  }

  /** A chunk of O = P·V: (queries, head dimension), over the keys. */
  TiledMma.Shape output(ValueOrder values) {
    return new TiledMma.Shape(tileM, valueChunk, tileN, warpsM, warpsN, true, values == ValueOrder.COLUMN_MAJOR);
  }

  /** Chunks of S = Q·Kᵀ. */
  int chunks() {
    return dim / chunk;
  }

  /** Chunks of O's columns. */
  int valueChunks() {
    return valueDim / valueChunk;
  }

  /** Chunks of a block's keys that V comes in, for each chunk of O's columns. */
  int keyChunks() {
    return tileN / valueKeys;
  }
}
