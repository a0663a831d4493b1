package tilewright.sm100.attention.backward;

import java.util.List;
import java.util.function.Consumer;
import java.util.stream.IntStream;
import tilewright.kernel.I32;
import tilewright.kernel.Scope;
import tilewright.sm100.atom.TensorMemory;
import tilewright.sm100.atom.TensorMemoryTile;

/**
 * The layout of Tensor Memory. The two warpgroups take turns at chunks of 32 queries of Sᵀ and dPᵀ. Each rounds its
 * chunks to P, or dS, side by side in the place of its first chunk, which has been read by then; a column holds two
 * elements of those. dQ follows in the place of dPᵀ.
 *
 * <p>Up to head dimension 128: Sᵀ 0–127, dV 128–255, dPᵀ and dQ 256–383, dK 384–511; of a pair dQ 64–127, in the
 * half of Sᵀ that P leaves. Above: dV 0–127, dK 128–319, Sᵀ 320–447, dPᵀ 384–511, dQ in parts 448–511; dS takes the
 * place of half of Sᵀ there.
 */
record BackwardMemory(TensorMemory memory, Sm100BackwardConfig config) {
  private static final int QUERIES = Sm100BackwardConfig.QUERIES;
  private static final int CHUNK = Sm100BackwardConfig.CHUNK;
  private static final int CHUNKS = QUERIES / CHUNK;
  private static final int HALVES = Sm100BackwardConfig.HALVES;

  TensorMemoryTile scores() {
    return memory.columns(config.shape().wide() ? 320 : 0, QUERIES);
  }

  TensorMemoryTile probabilityGradients() {
    return memory.columns(config.shape().wide() ? 384 : 256, QUERIES);
  }

  /** A part of dQ. */
  TensorMemoryTile dQ() {
    int first = config.shape().wide() ? 448 : config.shape().paired() ? 64 : 256;
    return memory.columns(first, config.shape().columnsInMemory());
  }

  /** Goes through the parts of dQ. */
  void forEachPartOfDQ(Scope k, Consumer<I32> body) {
    int parts = config.shape().headDim() / config.shape().columnsOfDQ();
    if (parts == 1) body.accept(k.constant(0));
    else k.loop(k.constant(parts), body);
  }

  TensorMemoryTile dV() {
    return memory.columns(config.shape().wide() ? 0 : 128, config.shape().valueDim());
  }

  TensorMemoryTile dK() {
    return memory.columns(config.shape().wide() ? 128 : 384, config.shape().headDim());
  }

  /** The first column of a warpgroup's chunk. */
  static I32 firstOf(I32 half, int chunk) {
    return numberOf(half, chunk).times(CHUNK);
  }

  /** A warpgroup's chunk of 32 columns. */
  static TensorMemoryTile chunk(TensorMemoryTile tile, I32 half, int chunk) {
    return tile.stage(numberOf(half, chunk), tile.columns() / CHUNK);
  }

  private static I32 numberOf(I32 half, int chunk) {
    return half.plus(HALVES * chunk);
  }

  /** Where a warpgroup's chunk of Sᵀ or dPᵀ goes in 16 bits. */
  static TensorMemoryTile rounded(TensorMemoryTile tile, I32 half, int chunk) {
    return tile.part(0, QUERIES / 2).stage(half.times(CHUNKS / HALVES).plus(chunk), CHUNKS);
  }

  /** P or dS in 16 bits, by queries, in the place of Sᵀ or dPᵀ. */
  static List<TensorMemoryTile> rounded(TensorMemoryTile tile) {
    return IntStream.range(0, CHUNKS).mapToObj(number ->
        rounded(tile, tile.first().constant(number % HALVES), number / HALVES)).toList();
  }
}
