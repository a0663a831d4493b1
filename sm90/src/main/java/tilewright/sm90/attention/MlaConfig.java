package tilewright.sm90.attention;

import java.math.BigInteger;
import java.util.List;
import java.util.OptionalInt;
import java.util.stream.Stream;
import tilewright.async.atom.SwizzledRows;
import tilewright.async.atom.Warpgroup;
import tilewright.async.attention.BoxedTensors;
import tilewright.async.attention.TileCoordinates;
import tilewright.kernel.Scope;
import tilewright.kernel.TensorSpec;
import tilewright.kernel.collective.attention.AttentionTiles;
import tilewright.kernel.collective.attention.Band;
import tilewright.kernel.collective.attention.BlockVisits;
import tilewright.kernel.collective.attention.HeadPacking;
import tilewright.kernels.attention.AttentionSpecs;
import tilewright.kernels.attention.ValueOrder;
import tilewright.kernels.attention.merging.Splitting;
import tilewright.layout.ComposedLayout;
import tilewright.numerics.ElementType;
import tilewright.sm90.atom.WgmmaAtom;

/**
 * The parameters that are fixed when decoding by latent attention is traced.
 *
 * @param type of Q, K and O: f16 or bf16
 * @param valueDim columns of the latent part of a row of K, which are V
 * @param band which keys are seen, by distance
 * @param packing of heads: all read the same keys
 * @param splits of the keys
 * @param lse whether the rows' logarithms are stored
 * @param lengths whether the launch reads how many keys a batch entry has
 * @param pageRows rows of a page, where keys lie in pages
 * @param gathers whether each query has a list of tokens in pages, in the place of a batch entry's keys
 */
record MlaConfig(ElementType type, int valueDim, Band band, HeadPacking packing, Splitting splits, boolean lse,
    boolean lengths, OptionalInt pageRows, boolean gathers) {
  /** Keys of a block. */
  static final int KEYS = 64;
  /** Columns of the rotary part of a row: P has as many, and takes its place when S is known. */
  static final int ROTARY = KEYS;
  /** Blocks of keys in shared memory: beside Q there is room for no more. */
  static final int STAGES = 2;
  /** Warpgroups that multiply, each with a share of the columns of O. */
  static final int CONSUMERS = 2;
  /** Registers of a thread of all warpgroups, those that the CTA begins with. */
  private static final int REGISTERS = 504;
  private static final int CONSUMER_REGISTERS = 232;
  /** Beside a producer whose threads copy by themselves. */
  private static final int CONSUMER_REGISTERS_BESIDE_GATHER = 208;
  private static final int ALIGNED_BYTES = 16;

  int headDim() {
    return valueDim + ROTARY;
  }

  int threads() {
    return Warpgroup.SIZE * (CONSUMERS + 1);
  }

  /** Queries of a tile. */
  int queries() {
    return WgmmaAtom.M / packing.stride();
  }

  int consumerRegisters() {
    return gathers ? CONSUMER_REGISTERS_BESIDE_GATHER : CONSUMER_REGISTERS;
  }

  int producerRegisters() {
    return REGISTERS - CONSUMERS * consumerRegisters();
  }

  /** Arrivals that fill a part of a stage: of the thread that begins copies, or of each warp that makes some. */
  int fills() {
    return gathers ? Warpgroup.WARPS / STAGES : 1;
  }

  /** Keys of a block that surely lie one after the other. */
  int partOfBlock() {
    return pageRows.isPresent() ? BigInteger.valueOf(pageRows.getAsInt()).gcd(BigInteger.valueOf(KEYS)).intValue()
        : KEYS;
  }

  /** The blocks of keys that a tile visits. */
  BlockVisits visits(AttentionTiles.Tile tile) {
    return BlockVisits.of(band, tile.blocks(), tile.sequence());
  }

  // Shared memory

  /** Columns of a warpgroup's share of V. */
  int share() {
    return valueDim / CONSUMERS;
  }

  /** The columns of the parts of Q and K: the warpgroups' shares of V, and the rotary part. */
  List<Integer> partsOfColumns() {
    return Stream.concat(Stream.generate(this::share).limit(CONSUMERS), Stream.of(ROTARY)).toList();
  }

  /** A part of Q: (row, column, 1). */
  ComposedLayout layoutOfQ(int columns) {
    return SwizzledRows.alongColumns(type, WgmmaAtom.M, columns, 1);
  }

  /** A part of K: (key, column, stage). In the place of the rotary part, P: (row, key, stage). */
  ComposedLayout layoutOfK(int columns) {
    return SwizzledRows.alongColumns(type, KEYS, columns, STAGES);
  }

  /** A share of V, which is a part of K transposed: (column, key, stage). */
  ComposedLayout layoutOfV() {
    return SwizzledRows.alongRows(type, share(), KEYS, STAGES);
  }

  // Registers

  /** S = Q·Kᵀ. */
  WgmmaAtom atomOfScores() {
    return new WgmmaAtom(type, KEYS);
  }

  /** A warpgroup's share of O = P·V. */
  WgmmaAtom atomOfOutput() {
    return new WgmmaAtom(type, share());
  }

  // Global memory

  BoxedTensors tensors() {
    return new BoxedTensors(type, type, false, packing, ValueOrder.ROW_MAJOR, true);
  }

  /** The coordinates of Q, where packs of heads stand in the place of heads of keys. */
  TileCoordinates coordinates(Scope k) {
    return new TileCoordinates(k, false, packing, ValueOrder.ROW_MAJOR, true);
  }

  TensorSpec q() {
    return packing.packs() ? tensor("Q", "Sharers", "D", "Sq", "Packs", "B").contiguous("D")
        : new AttentionSpecs(type).q();
  }

  /** The rows of a cache of pages, which threads copy by themselves. */
  TensorSpec rowsOfK() {
    return tensor("K", "Rows", "Dk", "Hk", "Pages").contiguous("Dk").fixed("Dk", headDim());
  }

  TensorSpec o() {
    return tensor("O", "Sq", "Dv", "H", "B").contiguous("Dv").fixed("Dv", valueDim);
  }

  private TensorSpec tensor(String name, String... modes) {
    return TensorSpec.of(name, type, modes).aligned(ALIGNED_BYTES / type.bytes());
  }
}
