package tilewright.kernels.attention.decoding;

import java.util.Optional;
import tilewright.kernel.TensorSpec;
import tilewright.kernel.atom.ConvertedBytes;
import tilewright.kernel.atom.MmaAtom;
import tilewright.kernel.collective.attention.Band;
import tilewright.kernel.collective.attention.HeadPacking;
import tilewright.kernel.collective.attention.Modification;
import tilewright.kernel.collective.attention.Statistics;
import tilewright.kernel.tiled.SwizzledTile;
import tilewright.kernel.tiled.TiledMma;
import tilewright.kernels.attention.AttentionProblem;
import tilewright.kernels.attention.merging.Splitting;
import tilewright.kernels.attention.serving.Serving;
import tilewright.layout.ComposedLayout;
import tilewright.layout.Layout;
import tilewright.numerics.ElementType;

/**
 * Everything that is fixed when the kernel is traced.
 *
 * @param type of Q and O: f16 or bf16
 * @param cache type of K and V: that of Q, or e4m3
 * @param headDim where it is known; likewise {@code valueDim}
 * @param latent whether V is the first columns of K
 * @param band which keys are seen, by distance
 * @param modification of scores
 * @param packing of heads that read the same keys
 * @param splits of the keys
 * @param tokenFactors whether each token of a cache of codes has factors of its own
 * @param statistics of the rows that are stored, or that splits leave besides logarithms
 * @param sinks whether a logit of each head takes part in its rows
 * @param lengths whether the launch reads how many keys an entry has; {@code padding} how many rows are before them
 * @param pageRows rows of a page, where keys lie in pages
 * @param gathers whether each query has a list of tokens in pages, in the place of a batch entry's keys
 */
record DecodeConfig(ElementType type, ElementType cache, DecodeShape shape, int headDim, int valueDim,
    boolean latent, Band band, Modification modification, HeadPacking packing, Splitting splits, boolean tokenFactors,
    Statistics statistics, boolean sinks, boolean lengths, boolean padding, Optional<Integer> pageRows,
    boolean gathers) {
  private static final int ACCESS_BYTES = 16;

  static DecodeConfig of(AttentionProblem p, DecodeShape shape, HeadPacking packing, Splitting splits) {
    var s = p.sizes();
    boolean results = splits != Splitting.EVEN;
    return new DecodeConfig(p.type(), p.cacheType(), shape, s.headDim(), s.valueDim(), p.isLatent(),
        p.band().traced(), p.modification().traced(), packing, splits, tokenFactors(p), p.statistics(),
        p.sinks().isPresent() && results,
        p.serving().lengths().isPresent(), p.serving().padding().isPresent(),
        p.serving().pages().map(Serving.Pages::rows).or(() -> p.serving().tokens().map(Serving.Tokens::rows)),
        p.serving().tokens().isPresent());
  }

  /** Whether each token of a problem's cache has factors of its own. */
  static boolean tokenFactors(AttentionProblem p) {
    return p.serving().codes().filter(Serving.Codes::ofTokens).isPresent();
  }

  String name() {
    return latent ? "sm80_mla_decode_" + type.text() + "_d" + headDim + "_" + valueDim
        : "sm80_decode_attention_" + type.text() + (converts() ? "_" + cache.text() : "") + "_d" + shape.dim();
  }

  /** Whether K and V are codes, which become f16 in registers. */
  boolean converts() {
    return cache != type;
  }

  /** The type that tensor cores multiply. */
  private ElementType operand() {
    return converts() ? ElementType.F16 : type;
  }

  /** S = Q·Kᵀ. */
  TiledMma scoring() {
    var atom = MmaAtom.of(operand(), ElementType.F32);
    return converts() ? TiledMma.withB(ConvertedBytes.B_K_MAJOR, atom, shape.scores())
        : TiledMma.of(atom, shape.scores());
  }

  /** O = P·V. */
  TiledMma mixing() {
    var atom = MmaAtom.of(operand(), ElementType.F32);
    return converts() ? TiledMma.withB(ConvertedBytes.B_N_MAJOR, atom, shape.output())
        : TiledMma.of(atom, shape.output());
  }

  /** Q (rows, place along k, 1) as operand A is read. */
  ComposedLayout layoutOfA() {
    return SwizzledTile.alongColumns(type, shape.rows(), shape.dim(), 1);
  }

  /** Q (rows, head dimension, 1): each column at the place where K goes through it. */
  ComposedLayout layoutOfQ() {
    return SwizzledTile.alongColumnsInOrder(type, shape.rows(), shape.dim(), 1, scoring().orderOfB());
  }

  /** K (keys, head dimension, stages of each group). */
  ComposedLayout layoutOfK() {
    return SwizzledTile.alongColumns(cache, shape.keys(), shape.dim(), shape.stages() * shape.groups());
  }

  /** V (columns, keys, stages of each group): where it is a part of K, that part transposed. */
  ComposedLayout layoutOfV() {
    if (!latent) {
      return SwizzledTile.alongRows(cache, shape.valueDim(), shape.keys(), shape.stages() * shape.groups());
    }
    var ofK = layoutOfK();
    var columns = ofK.layout().mode(1).composition(Layout.of(shape.valueDim(), 1));
    return ofK.with(Layout.of(columns, ofK.layout().mode(0), ofK.layout().mode(2)));
  }

  /** P (rows, keys, stages) in the place of the columns of K that are no part of V, which has room for it. */
  ComposedLayout layoutOfP() {
    var tile = SwizzledTile.alongColumns(type, shape.rows(), shape.keys(), 1);
    var stage = Layout.of(shape.stages(), (long) shape.dim() * shape.keys());
    return new ComposedLayout(tile.swizzle(), (long) shape.valueDim() * shape.keys(),
        Layout.of(tile.layout().mode(0), tile.layout().mode(1), stage));
  }

  /** Factors of tokens (tokens, of K or V, stages of each group). */
  Layout layoutOfFactors() {
    return Layout.columnMajor(shape.keys(), 2, (long) shape.stages() * shape.groups());
  }

  /** The groups' results (rows, columns of O, groups) in FP32: all columns, or as many as K's stages have room for. */
  ComposedLayout layoutOfStates() {
    long room = (long) shape.stages() * shape.blockKeys() * shape.dim() * cache.bytes();
    long needed = (long) shape.rows() * shape.groups() * shape.valueDim() * Float.BYTES;
    int parts = Math.toIntExact(Math.max(1, Integer.highestOneBit((int) (2 * Math.ceilDiv(needed, room) - 1))));
    return SwizzledTile.alongColumns(ElementType.F32, shape.rows(), shape.valueDim() / parts, shape.groups());
  }

  /** Elements of K or V that one access moves. */
  int vector() {
    return ACCESS_BYTES / cache.bytes();
  }

  TensorSpec q() {
    return tensor("Q", type, "Sq", "D", "H", "B").contiguous("D").fixed("D", headDim);
  }

  TensorSpec k() {
    return (pageRows.isPresent() ? tensor("K", cache, "PageRows", "D", "Hk", "Pages")
        : tensor("K", cache, "Sk", "D", "Hk", "B")).contiguous("D").fixed("D", headDim);
  }

  /** V, with keys as its second mode, as operand B of P·V has them. */
  TensorSpec v() {
    return (pageRows.isPresent() ? tensor("V", cache, "Dv", "PageRows", "Hk", "Pages")
        : tensor("V", cache, "Dv", "Sk", "Hk", "B")).contiguous("Dv").fixed("Dv", valueDim);
  }

  TensorSpec o() {
    return tensor("O", type, "Sq", "Dv", "H", "B").contiguous("Dv").fixed("Dv", valueDim);
  }

  private static TensorSpec tensor(String name, ElementType type, String... modes) {
    return TensorSpec.of(name, type, modes).aligned(ACCESS_BYTES / type.bytes());
  }
}
