package tilewright.sm90;

import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import tilewright.async.collective.ClusterShape;

/**
 * The tiles that a problem's tile is chosen from. Those of {@link #OTHERS} were fastest, or nearly, for some of the
 * problems in docs/benchmarks/gemm/tiles-h100.json: large clusters where rows begin inside cache lines and L2 has
 * twice the work, 192 and 256 rows where 128 columns and more would leave part of the last wave idle. The last tiles
 * are cut along k in clusters, mostly, as CTAs with different parts of k share nothing in L2.
 */
final class GemmTiles {
  private static final ClusterShape ALONE = new ClusterShape(1, 1, 1);
  private static final ClusterShape BELOW = new ClusterShape(2, 1, 1);
  private static final ClusterShape BESIDE = new ClusterShape(1, 2, 1);
  private static final ClusterShape SPLIT = new ClusterShape(1, 1, 2);
  private static final ClusterShape SPLIT4 = new ClusterShape(1, 1, 4);
  private static final ClusterShape SPLIT8 = new ClusterShape(1, 1, 8);
  private static final ClusterShape BELOW_AND_SPLIT4 = new ClusterShape(2, 1, 4);
  private static final ClusterShape BELOW_AND_SPLIT = new ClusterShape(2, 1, 2);
  private static final ClusterShape FOUR = new ClusterShape(2, 2, 1);
  private static final ClusterShape FOUR_BELOW = new ClusterShape(4, 1, 1);
  private static final ClusterShape FOUR_BESIDE = new ClusterShape(1, 4, 1);
  private static final ClusterShape EIGHT_BELOW = new ClusterShape(4, 2, 1);
  private static final ClusterShape EIGHT_BESIDE = new ClusterShape(2, 4, 1);

  private static final Variant PLAIN = Variant.PLAIN;
  private static final Variant PING_PONG = PLAIN.with(Variant.Consumers.PING_PONG);
  private static final Variant TRANSPOSED = PLAIN.with(Variant.Orientation.TRANSPOSED);
  /** Tiles that do not fill a wave are cut along k. */
  private static final Variant TAIL = PLAIN.with(Variant.Order.STREAM_K);
  private static final Variant TRANSPOSED_TAIL = TRANSPOSED.with(Variant.Order.STREAM_K);

  /** The tiles that any type has. */
  static final List<GemmTile> COMMON = Stream.of(tiles(128, PLAIN, BELOW, 128, 256), tiles(128, PLAIN, ALONE, 128, 256),
      tiles(256, PLAIN, BELOW, 128), tiles(256, PLAIN, ALONE, 128)).flatMap(tiles -> tiles).toList();

  /** Further tiles for floats of one type that the tensor core accumulates by itself. */
  private static final List<GemmTile> OTHERS = Stream.of(
      tiles(64, TRANSPOSED, ALONE, 8, 16, 32, 48, 64, 80, 96, 112, 128, 144, 160, 192),
      tiles(64, TRANSPOSED, SPLIT, 16, 32, 48, 64, 80, 96, 112, 128, 208, 224),
      tiles(64, TRANSPOSED, BELOW_AND_SPLIT, 48, 64, 80, 96, 112, 128, 160),
      tiles(64, PLAIN, BELOW_AND_SPLIT, 64, 96),
      tiles(64, TRANSPOSED, SPLIT4, 16, 32, 48, 64, 80, 96, 112),
      tiles(64, TRANSPOSED, BELOW_AND_SPLIT4, 56, 80, 96, 104),
      tiles(64, TRANSPOSED, SPLIT8, 16, 32),
      tiles(64, PLAIN, ALONE, 128), tiles(64, PLAIN, FOUR, 48), tiles(64, PLAIN, FOUR_BESIDE, 32),
      tiles(64, TRANSPOSED, FOUR_BELOW, 80, 96, 160, 192), tiles(64, PLAIN, FOUR_BELOW, 112, 192),
      tiles(64, TRANSPOSED, EIGHT_BELOW, 32, 64, 96), tiles(64, PLAIN, EIGHT_BELOW, 64, 72, 96, 128, 144, 160),
      tiles(64, TRANSPOSED, EIGHT_BESIDE, 72, 96), tiles(64, PLAIN, EIGHT_BESIDE, 64, 80, 112),

      tiles(128, TRANSPOSED, ALONE, 8, 16, 32, 48, 64, 80, 96, 144, 160, 176, 192, 208, 224),
      tiles(128, PLAIN, ALONE, 64, 96, 112, 120, 192, 224), tiles(128, PLAIN, SPLIT, 64),
      tiles(128, PING_PONG, ALONE, 128, 176),
      tiles(64, TRANSPOSED_TAIL, FOUR, 96), tiles(64, TAIL, FOUR, 96),
      tiles(64, TRANSPOSED_TAIL, FOUR_BELOW, 96, 128, 160, 192), tiles(64, TAIL, FOUR_BELOW, 192),
      tiles(64, TRANSPOSED_TAIL, EIGHT_BELOW, 96), tiles(64, TAIL, EIGHT_BELOW, 96), tiles(64, TAIL, EIGHT_BESIDE, 64),
      tiles(128, TRANSPOSED_TAIL, ALONE, 160, 224), tiles(128, TAIL, ALONE, 128, 256),
      tiles(128, TRANSPOSED_TAIL, BELOW, 144, 160, 176, 224), tiles(128, TAIL, BELOW, 176, 256),
      tiles(128, TAIL, BESIDE, 96), tiles(128, TRANSPOSED_TAIL, FOUR, 128, 160), tiles(128, TAIL, FOUR, 160),
      tiles(128, TRANSPOSED_TAIL, FOUR_BELOW, 96, 128), tiles(128, TAIL, FOUR_BELOW, 192),
      tiles(128, TRANSPOSED_TAIL, EIGHT_BESIDE, 112), tiles(128, TAIL, EIGHT_BELOW, 192),
      tiles(128, TRANSPOSED, BELOW, 160, 176, 208, 240), tiles(128, PLAIN, BELOW, 120, 144, 160, 192, 208, 224),
      tiles(128, TRANSPOSED, BESIDE, 80, 144), tiles(128, PLAIN, BESIDE, 144, 176),
      tiles(128, TRANSPOSED, FOUR, 144, 208), tiles(128, PLAIN, FOUR, 176),
      tiles(128, TRANSPOSED, FOUR_BELOW, 96, 128, 160, 224), tiles(128, PLAIN, FOUR_BELOW, 112, 192),
      tiles(128, TRANSPOSED, FOUR_BESIDE, 64, 80), tiles(128, PLAIN, FOUR_BESIDE, 80, 96),
      tiles(128, TRANSPOSED, EIGHT_BELOW, 64, 96, 160, 192, 224), tiles(128, PLAIN, EIGHT_BELOW, 128, 160),
      tiles(128, TRANSPOSED, EIGHT_BESIDE, 80, 96, 112, 160),
      tiles(128, PLAIN, EIGHT_BESIDE, 96, 112, 128, 160, 184, 192, 224),

      tiles(192, TRANSPOSED, ALONE, 144, 160, 176), tiles(192, PLAIN, ALONE, 128, 160, 176, 192),
      tiles(192, TRANSPOSED, BESIDE, 88, 112, 144, 160, 176, 192), tiles(192, PLAIN, BESIDE, 144, 160, 176, 192),
      tiles(192, PLAIN, FOUR_BESIDE, 80), tiles(192, TRANSPOSED, FOUR_BESIDE, 80, 88),
      tiles(192, TRANSPOSED, BELOW, 160),

      tiles(256, TRANSPOSED, ALONE, 144, 160, 176, 192), tiles(256, PLAIN, ALONE, 144, 160, 176, 192),
      tiles(256, TRANSPOSED, BESIDE, 144, 160, 176, 192), tiles(256, PLAIN, BESIDE, 128, 160, 176, 192),
      tiles(256, PLAIN, BELOW, 160)).flatMap(tiles -> tiles).toList();

  /** Further tiles of 8 bits, where L2 holds both operands: CTAs side by side load A's tiles for each other. */
  static final List<GemmTile> BYTES_IN_L2 = tiles(128, PLAIN, BESIDE, 256).toList();

  /**
   * Further tiles for 8-bit floats whose sums leave the tensor core on the way, for which a thread holds up to twice as
   * many accumulators: those that gained most on the shapes of docs/benchmarks/gemm/exact-h200.json, without spills.
   */
  static final List<GemmTile> PROMOTED = Stream.of(
      tiles(64, TRANSPOSED, ALONE, 64), tiles(64, TRANSPOSED, SPLIT, 32, 64, 96),
      tiles(64, TRANSPOSED, BELOW_AND_SPLIT, 64), tiles(64, TRANSPOSED, SPLIT4, 32),
      tiles(64, TRANSPOSED, FOUR_BELOW, 96), tiles(64, TRANSPOSED_TAIL, FOUR_BELOW, 96),

      tiles(128, TRANSPOSED, ALONE, 96, 160), tiles(128, PLAIN, ALONE, 64, 224),
      tiles(128, TRANSPOSED, BELOW, 208), tiles(128, PLAIN, BELOW, 192),
      tiles(128, TRANSPOSED, FOUR_BELOW, 96, 160), tiles(128, TRANSPOSED_TAIL, FOUR_BELOW, 128),
      tiles(128, TRANSPOSED_TAIL, FOUR, 128),
      tiles(128, TRANSPOSED, FOUR_BESIDE, 80), tiles(128, PLAIN, FOUR_BESIDE, 80),
      tiles(128, TRANSPOSED, EIGHT_BESIDE, 160), tiles(128, PLAIN, EIGHT_BESIDE, 112, 128, 192),

      tiles(192, TRANSPOSED, BESIDE, 88, 112), tiles(192, PLAIN, BESIDE, 144), tiles(192, PLAIN, ALONE, 128),
      tiles(256, PLAIN, BESIDE, 160)).flatMap(tiles -> tiles).toList();

  /** Further tiles of accumulators of f16, whose registers hold twice as many. */
  static final List<GemmTile> HALF_SUMS = Stream.of(tiles(256, PLAIN, ALONE, 256), tiles(256, PLAIN, BELOW, 256),
      tiles(128, PING_PONG, ALONE, 256)).flatMap(tiles -> tiles).toList();

  /** All tiles. */
  static final List<GemmTile> ALL = Stream.of(COMMON, OTHERS, BYTES_IN_L2, PROMOTED, HALF_SUMS).flatMap(List::stream)
      .distinct().toList();

  private GemmTiles() {}

  /** Tiles of some rows, each with one of some numbers of columns. */
  private static Stream<GemmTile> tiles(int rows, Variant variant, ClusterShape cluster, int... columns) {
    return IntStream.of(columns).mapToObj(n -> new GemmTile(rows, n, consumers(rows), cluster, variant));
  }

  /** Warpgroups that multiply: of 64 rows each, or two of 128. */
  private static int consumers(int rows) {
    return rows == 256 ? 2 : rows / 64;
  }
}
