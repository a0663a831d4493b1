package tilewright.sm100.attention;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import tilewright.kernel.LaunchArguments;
import tilewright.kernel.TensorSpec;
import tilewright.kernel.collective.attention.PackedTiles;
import tilewright.kernels.attention.AttentionProblem.Factors;
import tilewright.kernels.attention.AttentionProblem.Format;
import tilewright.kernels.attention.AttentionProblem.Quantized;
import tilewright.kernels.attention.AttentionProblem.Sizes;
import tilewright.kernels.attention.AttentionProblem;
import tilewright.numerics.ElementType;
import tilewright.sm100.atom.ScaleCopy;

/**
 * The layout of the scales of mxf8 operands in memory, buffers scaleQ, scaleK and scaleV. A scale is a byte of type
 * ue8m0, 2^(byte − 127). Each head has blocks of 128 rows of a sequence, of which each has a tile of 512 bytes for 128
 * columns of the head. {@link ScaleCopy#layout()} maps a tile's (row, scale) to a byte:
 * <ul>
 * <li>of Q and K, rows are queries or keys and a scale is that of 32 columns;
 * <li>of V, rows are columns and a scale is that of 32 keys.
 * </ul>
 * A packed sequence b begins with block cu[b] / 128 + b. Scales of rows and columns that do not exist are read: they
 * must not be NaN (255).
 */
public final class Mxf8Scales {
  /** Rows of a sequence that a block has. */
  public static final int ROWS = ScaleCopy.ROWS;
  /** Neighbours that share a scale. */
  public static final int NEIGHBOURS = 32;
  /** Columns of a head that a tile is of. */
  static final int COLUMNS = NEIGHBOURS * ScaleCopy.SCALES;
  private static final int WORDS = ScaleCopy.BYTES / Integer.BYTES;

  private Mxf8Scales() {}

  /** Scales of dense buffers, head by head of each batch entry. */
  public static Quantized of(ElementType output, Sizes s) {
    return of(output, s, OptionalInt.empty());
  }

  /** Scales of dense buffers of packed sequences, head by head. */
  public static Quantized ofPacked(ElementType output, Sizes s, int sequences) {
    return of(output, s, OptionalInt.of(sequences));
  }

  private static Quantized of(ElementType output, Sizes s, OptionalInt sequences) {
    return new Quantized(Format.MXF8, output, ElementType.E4M3,
        dense("scaleQ", s.heads(), blocks(s.queries(), sequences), s.headDim()),
        dense("scaleK", s.keyHeads(), blocks(s.keys(), sequences), s.headDim()),
        dense("scaleV", s.keyHeads(), blocks(s.keys(), sequences), s.valueDim()));
  }

  private static Factors dense(String buffer, int heads, long blocks, int columns) {
    long block = (long) tiles(columns) * ScaleCopy.BYTES;
    return new Factors(buffer, ROWS, block, blocks * block, heads * blocks * block);
  }

  /** The number of tiles that a block of rows has, by the columns of a head. */
  public static int tiles(int columns) {
    return Math.ceilDiv(columns, COLUMNS);
  }

  /** The number of blocks that a head has, by its rows in all sequences; at least one. */
  static long blocks(int rows, OptionalInt sequences) {
    return Math.max(1, sequences.isPresent() ? PackedTiles.slots(rows, sequences.getAsInt(), ROWS)
        : Math.ceilDiv(rows, ROWS));
  }

  /** The number of blocks that a head of a problem's operand has, by its rows. */
  private static long blocks(AttentionProblem p, int rows) {
    return blocks(rows, p.packed().map(packed -> OptionalInt.of(packed.sequences())).orElse(OptionalInt.empty()));
  }

  /** The tensor of an operand's scales, in words: a tile's, tiles of a block, blocks of rows, heads, batch entries. */
  public static TensorSpec spec(String name) {
    var heads = name.endsWith("Q") ? "H" : "Hk";
    return TensorSpec.of(name, ElementType.I32, "Tiles" + name, "W", "Blocks" + name, heads, "B").contiguous("W")
        .fixed("W", WORDS).aligned(4);
  }

  /**
   * An operand's scales.
   *
   * @param blocks of a head
   */
  private record Operand(Factors scales, long blocks, int heads, int columns) {
    private static final int ALIGNED_BYTES = 16;

    Optional<String> refusal() {
      var strides = List.of(scales.block(), scales.head(), scales.batch());
      if (scales.rows() != ROWS || strides.stream().anyMatch(stride -> stride % ALIGNED_BYTES != 0)) {
        return Optional.of(scales.buffer() + " has blocks of " + scales.rows() + " rows and strides of " + strides
            + " bytes: take blocks of " + ROWS + " rows and multiples of " + ALIGNED_BYTES + " bytes");
      }
      long needed = blocks * scales.block();
      return scales.head() < scales.block() || scales.head() >= needed ? Optional.empty()
          : Optional.of(scales.buffer() + " has " + scales.head() + " bytes of a head, needed are " + needed
              + ": each packed sequence begins with a block of its own");
    }

    LaunchArguments.Tensor tensor(int batch) {
      return new LaunchArguments.Tensor(scales.buffer(), 0,
          List.of((long) tiles(columns), (long) WORDS, blocks, (long) heads, (long) batch),
          List.of((long) WORDS, 1L, words(scales.block()), words(scales.head()), words(scales.batch())));
    }

    private static long words(long bytes) {
      return bytes / Integer.BYTES;
    }
  }

  private static Map<String, Operand> operands(AttentionProblem p) {
    var s = p.sizes();
    var of = p.quantized().orElseThrow();
    return Map.of("scaleQ", new Operand(of.q(), blocks(p, s.queries()), s.heads(), s.headDim()),
        "scaleK", new Operand(of.k(), blocks(p, s.keys()), s.keyHeads(), s.headDim()),
        "scaleV", new Operand(of.v(), blocks(p, s.keys()), s.keyHeads(), s.valueDim()));
  }

  /** Why the scales of a problem cannot be read, if they cannot. */
  public static Optional<String> refusal(AttentionProblem p) {
    return operands(p).values().stream().flatMap(operand -> operand.refusal().stream()).sorted().findFirst();
  }

  /** Gives the scales of a problem to a launch. */
  public static void giveTo(LaunchArguments arguments, AttentionProblem p) {
    operands(p).forEach((name, operand) -> arguments.tensor(name, operand.tensor(p.sizes().batch())));
  }
}
