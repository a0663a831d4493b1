package tilewright.kernels.attention;

import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import tilewright.kernel.F32;
import tilewright.kernel.I32;
import tilewright.kernel.Scope;
import tilewright.kernel.SharedTensor;
import tilewright.kernel.TensorSpec;
import tilewright.kernel.atom.CopyAtom;
import tilewright.kernel.atom.CpAsync;
import tilewright.kernel.atom.ElementCopy;
import tilewright.kernel.atom.Shuffle;
import tilewright.kernel.collective.attention.Band;
import tilewright.kernel.collective.attention.FragmentRows;
import tilewright.kernel.collective.attention.HeadPacking;
import tilewright.kernel.collective.attention.Modification;
import tilewright.kernel.collective.attention.OnlineSoftmax;
import tilewright.kernel.collective.attention.Statistics;
import tilewright.kernel.tiled.TiledCopy;
import tilewright.kernels.attention.AttentionProblem.View;
import tilewright.numerics.ElementType;

/**
 * The choices that {@link Sm80Attention} leaves open: which tensors there are, and how Q, K and V get to the tensor
 * cores. {@link Sm80AttentionConfig} is FlashAttention-2, {@link Sm80FfpaConfig} FFPA; a
 * {@link VariantConfig} is another way to divide the work, without masks.
 */
sealed interface AttentionVariant permits StridedVariant, VariantConfig {
  /** Bytes of a swizzled tile's row. */
  int ROW_BYTES = 128;
  /** The widest rows that are copied element by element without a loop: of wider ones ptxas 13.0 spills addresses. */
  int MOST_UNROLLED_DIM = 96;
  /** Elements that a thread copies in a round of such a loop: with 32 ptxas spills again. */
  int ROUND = 16;
  /** Like {@link #ROUND}, where warps share rows: they copy many small chunks one after the other. */
  int ROUND_OF_CHUNK = 8;

  /** The kernel's name. */
  String name();

  /** The type of Q, K and V: f16 or bf16, which O has too, or e4m3 where they are {@link #quantized}. */
  ElementType type();

  /** The types and factors of 8-bit Q, K and V. */
  default Optional<AttentionProblem.Quantized> quantized() {
    return Optional.empty();
  }

  /** The scales of blocks that tensor cores multiply by. */
  default Optional<BlockScales> blockScales() {
    return Optional.empty();
  }

  /** Whether 8-bit operands are multiplied as f16, for tensor cores that have no {@code mma.sync} of bytes. */
  default boolean converts() {
    return false;
  }

  /** The type of O. */
  default ElementType output() {
    return quantized().map(AttentionProblem.Quantized::output).orElse(type());
  }

  /** The type that P is rounded to. */
  default ElementType probabilities() {
    return quantized().map(AttentionProblem.Quantized::probabilities).orElse(type());
  }

  /** Tiles, their chunks and the warps that share them. */
  AttentionTiling tiling();

  /** CTAs per SM that registers are to suffice for. */
  int residentBlocks();

  /** The neighbours that an access to global memory moves. */
  Accesses accesses();

  /** (queries, D, heads, batch). */
  TensorSpec q();

  /** (keys, D, heads of K, batch). */
  TensorSpec k();

  /** (Dv, keys, heads of K, batch). */
  TensorSpec v();

  /** (queries, Dv, heads, batch). */
  TensorSpec o();

  /** The numbers of each row that are stored beside O. */
  default Statistics statistics() {
    return Statistics.NONE;
  }

  /** Whether a logit of each head takes part in the softmax of its rows. */
  default boolean sinks() {
    return false;
  }

  /** Whether sequences lie one after the other, bounded by cumulated lengths. */
  default boolean packed() {
    return false;
  }

  /**
   * Whether the grid is (tiles of queries, heads, batch), with a head of K for each head of Q and as many keys as
   * queries; else CTAs are numbered in x, and the epilogue computes its addresses anew.
   */
  boolean tilesInGrid();

  /** Heads whose tiles run side by side, where CTAs are numbered in x. */
  default int headsTogether() {
    return 1;
  }

  /** The tiles of Q, K and V in shared memory. */
  SharedTiles sharedTiles(Scope k);

  /** The tile of P in shared memory (queries, keys, 1), where warps share rows. */
  default Optional<SharedTensor> sharedP(Scope k) {
    return Optional.empty();
  }

  /** The tile of O in shared memory, or some columns of it, in the place of one that is not read any more. */
  SharedTensor staging(SharedTiles tiles);

  /** How tiles of K and V follow each other through shared memory. */
  KeyValueTiles pipeline(KeyValueTiles.Copies copies);

  /** Whether Q stays in registers, else it is read from shared memory for each tile of keys. */
  boolean queryInRegisters();

  /**
   * Whether registers are used as was fastest on an H200: addresses of Q stay in registers, and P is rounded slice by
   * slice in front of its product, unless something is {@linkplain #rematerialisation computed anew}. The other
   * variants keep the form in which they were measured.
   */
  boolean tuned();

  /** Says which addresses and bounds each block of keys computes anew, so that nothing is spilled. */
  default Rematerialisation rematerialisation() {
    return Rematerialisation.NONE;
  }

  /** Whether blocks that every query sees whole are copied without bound checks. */
  default boolean coversBlocks() {
    return tuned();
  }

  /** The keys that a query sees, by distance. */
  default Band band() {
    return Band.ALL;
  }

  /** The user's change of the scores. */
  default Modification modification() {
    return Modification.NONE;
  }

  /** The heads that share a tile of queries. */
  default HeadPacking packing() {
    return HeadPacking.NONE;
  }

  /** Whether blocks of keys come from lists, by {@link BlockMaskKernel}. */
  default boolean blockMask() {
    return false;
  }

  /** Whether O is rescaled only where a row's maximum rose. */
  default boolean conditionalRescale() {
    return false;
  }

  /** The online softmax of rows of S. */
  default OnlineSoftmax softmax(Scope k, FragmentRows rows, F32 scale, OnlineSoftmax.Combination combination) {
    return OnlineSoftmax.of(k, rows, scale, combination);
  }

  /** The copy of a tile of Q or K: a chunk of the head dimension. */
  default TiledCopy copyOfRows(Scope k) {
    return copy(k, type(), accesses().vector, tiling().chunk(), tiling().dim(), true);
  }

  /** The copy of a tile of V. */
  default TiledCopy copyOfValues(Scope k) {
    var tiling = tiling();
    int vector = accesses().ofValues;
    if (accesses().order == ValueOrder.ROW_MAJOR) {
      return copy(k, type(), vector, tiling.valueChunk(), tiling.valueDim(), false);
    }
    var copy = copy(k, type(), vector, tiling.valueKeys(), tiling.valueDim(), true);
    if (vector == 1 || !sharesRows()) return copy;
    // Each of a thread's vectors is in a column of its own: with the addresses of half of them nothing is spilled.
    int accesses = tiling.valueChunk() * tiling.valueKeys() / (vector * tiling.threads());
    return copy.inRounds(k, Math.max(1, accesses / 2));
  }

  /** The copy of a tile of O whose rows have this number of elements. */
  default TiledCopy copyOfOutput(Scope k, int columns) {
    int vector = Math.max(1, accesses().vector * type().bytes() / output().bytes());
    return copy(k, output(), vector, columns, columns, true);
  }

  /**
   * The copy of a tile of a head.
   *
   * @param run neighbours of the tile; {@code dim} of the head
   * @param alongColumns whether neighbours run along the tile's columns
   */
  private TiledCopy copy(Scope k, ElementType type, int vector, int run, int dim, boolean alongColumns) {
    CopyAtom atom = vector == 1 ? new ElementCopy() : new CpAsync(k, vector, type.bytes());
    // Threads run along the neighbours first, so that a warp reads whole sectors of a swizzled tile's rows.
    int along = Math.min(Integer.lowestOneBit(run), ROW_BYTES / type.bytes()) / vector;
    int threads = tiling().threads();
    var copy = alongColumns ? TiledCopy.rowMajor(atom, threads, along) : TiledCopy.columnMajor(atom, threads, along);
    if (vector > 1 || !sharesRows() && dim <= MOST_UNROLLED_DIM) return copy;
    return copy.inRounds(k, sharesRows() ? ROUND_OF_CHUNK : ROUND);
  }

  private boolean sharesRows() {
    return tiling().warpsN() > 1;
  }

  /**
   * The neighbours that a thread's access moves.
   *
   * @param vector along the head dimension of Q, K and O: 8, 4 or 2 aligned ones, 16 of bytes, or 1 for any strides
   * @param order of V; {@code ofValues} neighbours along it
   */
  record Accesses(int vector, ValueOrder order, int ofValues) {
    /** Accesses along the head dimension of every tensor. */
    static Accesses byRows(int vector) {
      return new Accesses(vector, ValueOrder.ROW_MAJOR, vector);
    }

    /** The widest accesses that a problem's tensors permit. */
    static Accesses of(AttentionProblem p) {
      var s = p.sizes();
      int bytes = p.type().bytes();
      // O has another type than 8-bit operands, whose kernels ask for its alignment themselves.
      var rows = Stream.concat(Stream.of(p.q(), p.k()), p.quantized().isPresent() ? Stream.empty() : Stream.of(p.o()));
      if (ValueOrder.of(p.v()) == ValueOrder.ROW_MAJOR) {
        var all = Stream.concat(rows, Stream.of(p.v())).toList();
        return byRows(View.widestAccess(all, bytes, s.headDim(), s.valueDim()));
      }
      // A packed sequence begins at any key.
      int ofValues = p.packed().isPresent() ? 1 : View.widestAccess(List.of(p.v().transposed()), bytes);
      return new Accesses(View.widestAccess(rows.toList(), bytes, s.headDim(), s.valueDim()), ValueOrder.COLUMN_MAJOR,
          ofValues);
    }

    /** Whether every access moves a number of neighbours. */
    boolean areAll(int neighbours) {
      return vector == neighbours && ofValues == neighbours;
    }
  }

  /**
   * The addresses and bounds that a loop over blocks of keys computes anew although the assembler would compute them
   * ahead of it, and spill other registers for them.
   */
  enum Rematerialisation {
    /** The assembler decides. */
    NONE,
    /** Addresses of Q in shared memory. */
    QUERIES,
    /** Addresses of K in shared memory. */
    KEYS,
    /** Addresses of Q and V in shared memory, and the bounds of masks. */
    QUERIES_AND_VALUES,
    /** Addresses of both products' operands in shared memory, and the bounds of masks. */
    OPERANDS,
    /** Besides, addresses of the copies from global memory. */
    COPIES;

    /** The thread's number for K. */
    I32 forKeys(Scope k, I32 thread, AttentionTiling tiling) {
      return this == KEYS || compareTo(OPERANDS) >= 0 ? opaque(k, thread, tiling) : thread;
    }

    /** The thread's number for V and masks. */
    I32 forValues(Scope k, I32 thread, AttentionTiling tiling) {
      return compareTo(QUERIES_AND_VALUES) >= 0 ? opaque(k, thread, tiling) : thread;
    }

    /** The thread's number for copies. */
    I32 forCopies(Scope k, I32 thread, AttentionTiling tiling) {
      return this == COPIES ? opaque(k, thread, tiling) : thread;
    }

    private static I32 opaque(Scope k, I32 thread, AttentionTiling tiling) {
      return Shuffle.own(k, thread, tiling.threads() - 1);
    }
  }
}
