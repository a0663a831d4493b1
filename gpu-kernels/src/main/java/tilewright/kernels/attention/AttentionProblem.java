package tilewright.kernels.attention;

import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import tilewright.kernel.collective.attention.Band;
import tilewright.kernel.collective.attention.Modification;
import tilewright.kernel.collective.attention.PackedTiles;
import tilewright.kernel.collective.attention.Statistics;
import tilewright.kernels.attention.serving.Serving;
import tilewright.numerics.ElementType;

/**
 * O = softmax(scale · Q·Kᵀ) · V for Q (B,Sq,H,D), K (B,Sk,Hk,D), V (B,Sk,Hk,Dv) and O (B,Sq,H,Dv); head h of Q
 * reads head h·Hk/H of K and V. Any extent but a head dimension may be 0: of no queries nothing is written; a query
 * without keys has O = 0 and a logarithm of −∞, as one that sees none of them.
 *
 * @param type of Q, K and V: f16 or bf16, which O has too, or e4m3 where they are {@code quantized}; a cache of K and V
 *     may be in {@linkplain Serving#codes codes} of e4m3 beside them
 * @param lse where each row's logarithm of its sum of exponentials goes, (B,Sq,H) of FP32, if anywhere
 * @param scale positive
 * @param band which keys a query sees, by distance
 * @param modification of scores
 * @param blockMask whether blocks of keys that the mask or the band hides are skipped, by lists that another launch
 *     makes
 * @param packed where sequences of different lengths lie one after the other; B is 1 then, Sq and Sk their sums
 * @param quantized the factors of 8-bit Q, K and V, which 16-bit ones have not
 * @param serving how a cache's keys lie and are divided
 * @param sinks buffer of H FP32 logits, if there are any: each takes part in the softmax of its head's rows like the
 *     score of a key whose value is 0, and so in their logarithms; a query without keys has O = 0 and its head's logit
 *     as logarithm
 * @param apart where each row's largest score and its sum of exponentials go apart, in the place of {@code lse}
 */
public record AttentionProblem(ElementType type, Sizes sizes, View q, View k, View v, View o, Optional<View> lse,
    float scale, Band band, Modification modification, Optional<Packed> packed, boolean blockMask,
    Optional<Quantized> quantized, Serving serving, Optional<String> sinks, Optional<Apart> apart) {
  private static final List<ElementType> SIXTEEN_BITS = List.of(ElementType.F16, ElementType.BF16);

  public AttentionProblem {
    if (blockMask && !modification.hidesBlocks() && band.isAll()) {
      throw new IllegalArgumentException("skipping blocks needs a mask, a band or lists of blocks");
    }
    if (quantized.isPresent() ? type != ElementType.E4M3 : !SIXTEEN_BITS.contains(type)) {
      throw new IllegalArgumentException(quantized.isPresent()
          ? "no attention of quantized " + type.text() + ": e4m3" : "no attention of " + type.text()
          + ": f16 or bf16, or e4m3 with its factors");
    }
    if (packed.isPresent()) quantized.ifPresent(Quantized::requireWholeSequences);
    if (quantized.isPresent() && serving.codes().isPresent()) {
      throw new IllegalArgumentException("a cache of codes has Q of 16 bits: quantized Q has factors of its own");
    }
    if (!(scale > 0)) throw new IllegalArgumentException("invalid scale " + scale + ": it must be positive");
    if (lse.isPresent() && apart.isPresent()) {
      throw new IllegalArgumentException("the rows' maxima and sums are stored in the place of their logarithms: leave "
          + "these out");
    }
    if (packed.isPresent() && sizes.batch != 1) {
      throw new IllegalArgumentException("packed sequences lie in one batch entry, not in " + sizes.batch);
    }
  }

  /**
   * The places of what merges attention on parts of the keys without the rounding of a logarithm, (B,Sq,H) of FP32.
   *
   * @param maxima each row's largest score, scaled and modified, or its sink; −∞ for a row without scores
   * @param sums each row's Σ e^(score − maximum); 0 for a row without scores
   */
  public record Apart(View maxima, View sums) {
    /** Dense (B,H,Sq) in "Maxima" and "Sums". */
    public static Apart dense(Sizes s) {
      return new Apart(View.bhsd("Maxima", s.queries, s.heads, 1), View.bhsd("Sums", s.queries, s.heads, 1));
    }
  }

  /** Extents. */
  public record Sizes(int batch, int queries, int keys, int heads, int keyHeads, int headDim, int valueDim) {
    public Sizes {
      if (batch < 0 || queries < 0 || keys < 0 || heads < 0 || keyHeads < 0 || headDim < 1 || valueDim < 1) {
        throw new IllegalArgumentException("invalid attention extents B=" + batch + " Sq=" + queries + " Sk=" + keys
            + " H=" + heads + " Hk=" + keyHeads + " D=" + headDim + " Dv=" + valueDim
            + ": head dimensions are at least 1, all else at least 0");
      }
      if (keyHeads == 0 ? heads > 0 : heads % keyHeads != 0) {
        throw new IllegalArgumentException(heads + " heads do not share " + keyHeads
            + " heads of keys: they must be a multiple");
      }
    }

    /** Heads of queries that read the same head of keys; 1 where there are no heads. */
    public int sharers() {
      return heads == 0 ? 1 : heads / keyHeads;
    }

    /** One head dimension, and as many heads of keys as of queries. */
    public static Sizes of(int batch, int queries, int keys, int heads, int headDim) {
      return new Sizes(batch, queries, keys, heads, heads, headDim, headDim);
    }
  }

  /**
   * The place and strides of a tensor.
   *
   * @param offset bytes from the buffer's begin
   * @param batch elements from one batch entry to the next; likewise sequence positions, heads and head dimensions
   */
  public record View(String buffer, long offset, long batch, long sequence, long head, long dim) {

    private static final int WIDEST_ACCESS_BYTES = 16;

    /** Whether vectors of that many neighbours along the head dimension are aligned, whatever row they are of. */
    public boolean isAligned(int vector, int elementBytes) {
      return dim == 1 && batch % vector == 0 && sequence % vector == 0 && head % vector == 0
          && offset % ((long) vector * elementBytes) == 0;
    }

    /** Whether vectors of that many neighbours along the sequence are aligned, whatever column they are of. */
    public boolean columnsAreAligned(int vector, int elementBytes) {
      return transposed().isAligned(vector, elementBytes);
    }

    /** The view with the sequence and the head dimension exchanged. */
    View transposed() {
      return new View(buffer, offset, batch, dim, head, sequence);
    }

    /** (B,H,D,S), with neighbours along the sequence and room for a number of positions in each column. */
    public static View bhds(String buffer, long heads, long dim, long room) {
      return new View(buffer, 0, heads * dim * room, 1, dim * room, room);
    }

    /**
     * The most neighbours along the head dimension that an access may move in each of the tensors: a power of two.
     *
     * @param dims head dimensions of the tensors, which accesses divide
     */
    public static int widestAccess(Collection<View> views, int elementBytes, int... dims) {
      int vector = WIDEST_ACCESS_BYTES / elementBytes;
      while (vector > 1 && !isPossible(vector, views, elementBytes, dims)) vector /= 2;
      return vector;
    }

    private static boolean isPossible(int vector, Collection<View> views, int elementBytes, int... dims) {
      return Arrays.stream(dims).allMatch(dim -> dim % vector == 0)
          && views.stream().allMatch(view -> view.isAligned(vector, elementBytes));
    }

    /** (B,S,H,D), the last contiguous. */
    public static View bshd(String buffer, long sequence, long heads, long dim) {
      return new View(buffer, 0, sequence * heads * dim, heads * dim, dim, 1);
    }

    /** (B,H,S,D), the last contiguous. */
    public static View bhsd(String buffer, long sequence, long heads, long dim) {
      return new View(buffer, 0, heads * sequence * dim, dim, sequence * dim, 1);
    }

    /** One of the three tensors of (B,S,3,H,D), the last contiguous; 0 is Q. */
    public static View packedQkv(String buffer, int which, long sequence, long heads, long dim, int elementBytes) {
      return new View(buffer, which * heads * dim * elementBytes, sequence * 3 * heads * dim, 3 * heads * dim, dim, 1);
    }
  }

  /**
   * Sequences one after the other: entry b has rows cu[b] to before cu[b + 1].
   *
   * @param queries buffer of (sequences + 1) 32-bit integers, the cumulated lengths; likewise {@code keys}
   * @param longest queries of the longest sequence, or more
   */
  public record Packed(String queries, String keys, int sequences, int longest) {}

  /**
   * Operands of 8 bits: each code stands for itself times a factor.
   *
   * @param format of the codes and their factors
   * @param output type of O: f16 or bf16
   * @param probabilities type that P is rounded to: e4m3 or e5m2
   * @param accumulation of P·V over the keys
   * @param q the factors of Q; likewise {@code k} and {@code v}
   */
  public record Quantized(Format format, ElementType output, ElementType probabilities, Accumulation accumulation,
      Factors q, Factors k, Factors v) {
    private static final List<ElementType> EIGHT_BITS = List.of(ElementType.E4M3, ElementType.E5M2);

    public Quantized {
      if (!SIXTEEN_BITS.contains(output)) {
        throw new IllegalArgumentException("no attention of e4m3 stores " + output.text() + ": f16 or bf16");
      }
      if (!EIGHT_BITS.contains(probabilities)) {
        throw new IllegalArgumentException("P is not rounded to " + probabilities.text() + ": e4m3 or e5m2");
      }
    }

    /** Operands whose P·V tensor cores sum over all keys. */
    public Quantized(Format format, ElementType output, ElementType probabilities, Factors q, Factors k, Factors v) {
      this(format, output, probabilities, Accumulation.FAST, q, k, v);
    }

    /** Operands whose factors are FP32 numbers of rows. */
    public Quantized(ElementType output, ElementType probabilities, Factors q, Factors k, Factors v) {
      this(Format.E4M3, output, probabilities, q, k, v);
    }

    /** Returns these operands with the P·V of each block of keys added to O in FP32. */
    public Quantized promoted() {
      return new Quantized(format, output, probabilities, Accumulation.PROMOTED, q, k, v);
    }

    /** Whether the tensor cores multiply by the factors. */
    public boolean blockScaled() {
      return format == Format.MXF8;
    }

    /** A factor for each head of Q, K and V, in dense buffers descaleQ, descaleK and descaleV (B,H) or (B,Hk). */
    public static Quantized perHead(ElementType output, Sizes s) {
      return new Quantized(output, ElementType.E4M3, Factors.perHead("descaleQ", s.heads),
          Factors.perHead("descaleK", s.keyHeads), Factors.perHead("descaleV", s.keyHeads));
    }

    /** A factor for each block of so many queries or keys of each head, in dense buffers (B,H,blocks). */
    public static Quantized perBlock(ElementType output, Sizes s, int queries, int keys) {
      return new Quantized(output, ElementType.E4M3, Factors.perBlock("descaleQ", s.heads, s.queries, queries),
          Factors.perBlock("descaleK", s.keyHeads, s.keys, keys),
          Factors.perBlock("descaleV", s.keyHeads, s.keys, keys));
    }

    private void requireWholeSequences() {
      if (blockScaled()) return;
      for (var factors : List.of(q, k, v)) {
        if (factors.rows != Factors.WHOLE) {
          throw new IllegalArgumentException("packed sequences take a factor for each sequence and head, not one for "
              + factors.rows + " rows");
        }
      }
    }
  }

  /** The formats of 8-bit operands. */
  public enum Format {
    /** Codes of e4m3 with FP32 factors of rows. */
    E4M3,
    /**
     * Codes of e4m3 with a scale of type ue8m0 for 32 neighbours along the contraction: of a row of Q or K along its
     * columns, of a column of V along the keys (OCP Microscaling Formats, MXFP8).
     */
    MXF8;

    /** The name of operands of this format, such as {@code mxf8}. */
    public String text() {
      return name().toLowerCase(Locale.ROOT);
    }
  }

  /**
   * The place and strides of factors (blocks, heads, batch entries or packed sequences): FP32 numbers, or for
   * {@link Format#MXF8} the bytes of all scales of a block of rows.
   *
   * @param rows of a sequence that share a factor, or {@link #WHOLE}; with {@link Format#MXF8} the rows of a block
   * @param block elements from one block's factor to the next; likewise heads and batch entries, 0 where they share one
   */
  public record Factors(String buffer, int rows, long block, long head, long batch) {
    /** All rows of a sequence share a factor. */
    public static final int WHOLE = Integer.MAX_VALUE;

    public Factors {
      if (rows < 1) throw new IllegalArgumentException("a factor of " + rows + " rows: at least 1");
    }

    /** One factor for all. */
    public static Factors perTensor(String buffer) {
      return new Factors(buffer, WHOLE, 0, 0, 0);
    }

    /** Dense (B,H). */
    public static Factors perHead(String buffer, int heads) {
      return new Factors(buffer, WHOLE, 0, 1, heads);
    }

    /** Dense (B,H,blocks). */
    public static Factors perBlock(String buffer, int heads, int sequence, int rows) {
      long blocks = Math.max(1, Math.ceilDiv(sequence, rows));
      return new Factors(buffer, rows, 1, blocks, blocks * heads);
    }

    /** Blocks of a sequence: at least one. */
    public int blocks(int sequence) {
      return Math.max(1, Math.ceilDiv(sequence, rows));
    }
  }

  /** Dense tensors named Q, K, V, O and LSE, (B,S,H,D) in memory, and the usual scale 1/√D. */
  public static AttentionProblem dense(ElementType type, Sizes s) {
    return new AttentionProblem(type, s, View.bshd("Q", s.queries, s.heads, s.headDim),
        View.bshd("K", s.keys, s.keyHeads, s.headDim), View.bshd("V", s.keys, s.keyHeads, s.valueDim),
        View.bshd("O", s.queries, s.heads, s.valueDim),
        Optional.of(new View("LSE", 0, (long) s.heads * s.queries, 1, s.queries, 1)),
        (float) (1 / Math.sqrt(s.headDim)), Band.ALL, Modification.NONE, Optional.empty(), false, Optional.empty(),
        Serving.NONE, Optional.empty(), Optional.empty());
  }

  /**
   * Multi-head latent attention in its absorbed form (DeepSeek-V2, MLA): all heads read one row of K (B,Sk,1,D) for
   * each key, and V is the first {@code valueDim} columns of K. The scale is 1/√D until another is
   * {@linkplain #scaled set}: DeepSeek's is that of the heads before the absorption, 1/√192.
   */
  public static AttentionProblem latent(ElementType type, int batch, int queries, int keys, int heads, int headDim,
      int valueDim) {
    if (valueDim > headDim) {
      throw new IllegalArgumentException("no " + valueDim + " columns of V in rows of " + headDim + " of K");
    }
    var p = dense(type, new Sizes(batch, queries, keys, heads, 1, headDim, valueDim));
    return p.at(p.q, p.k, p.k, p.o);
  }

  /** Like {@link #dense(ElementType, Sizes)}, of e4m3 codes. */
  public static AttentionProblem dense(Quantized quantized, Sizes s) {
    var p = dense(quantized.output, s);
    return new AttentionProblem(ElementType.E4M3, s, p.q, p.k, p.v, p.o, p.lse, p.scale, p.band, p.modification,
        p.packed, p.blockMask, Optional.of(quantized), p.serving, p.sinks, p.apart);
  }

  /** Whether the P·V of each block of 8-bit operands is added to O in FP32. */
  public boolean promotes() {
    return quantized.filter(of -> of.accumulation == Accumulation.PROMOTED).isPresent();
  }

  /** Whether V is the first columns of K. */
  public boolean isLatent() {
    return v.equals(k) && sizes.valueDim <= sizes.headDim;
  }

  /** The type of K and V. */
  public ElementType cacheType() {
    return serving.codes().isPresent() ? ElementType.E4M3 : type;
  }

  /** The type of O. */
  public ElementType outputType() {
    return quantized.map(Quantized::output).orElse(type);
  }

  /** Whether tensor cores multiply Q, K and V by scales. */
  public boolean blockScaled() {
    return quantized.filter(Quantized::blockScaled).isPresent();
  }

  /** The format of Q, K and V, such as {@code bf16} or {@code mxf8}. */
  public String format() {
    return quantized.map(of -> of.format.text()).orElse(type.text());
  }

  /** The larger of the two head dimensions. */
  public int largestDim() {
    return Math.max(sizes.headDim, sizes.valueDim);
  }

  /** Tiles of that many queries of all heads; of packed sequences, the slots that tiles may have. */
  public long tiles(int queriesPerTile) {
    return slots(sizes.queries, queriesPerTile) * sizes.heads;
  }

  /** Blocks of that many keys of all heads of K; of packed sequences, the slots that blocks may have. */
  public long keyBlocks(int keysPerBlock) {
    return slots(sizes.keys, keysPerBlock) * sizes.keyHeads;
  }

  /** Slots of tiles of a head: of fixed lengths, the tiles of all batch entries. */
  long slots(int tokens, int perSlot) {
    return packed.map(lengths -> PackedTiles.slots(tokens, lengths.sequences, perSlot))
        .orElse((long) Math.ceilDiv(tokens, perSlot) * sizes.batch);
  }

  /** Bytes of the keys and values of a head of K. */
  public long bytesOfKeys() {
    return (long) sizes.keys * (sizes.headDim + sizes.valueDim) * cacheType().bytes();
  }

  public AttentionProblem with(Band other) {
    return new AttentionProblem(type, sizes, q, k, v, o, lse, scale, other, modification, packed, blockMask,
        quantized, serving, sinks, apart);
  }

  public AttentionProblem with(Modification other) {
    return new AttentionProblem(type, sizes, q, k, v, o, lse, scale, band, other, packed, blockMask,
        quantized, serving, sinks, apart);
  }

  public AttentionProblem with(Packed other) {
    return new AttentionProblem(type, sizes, q, k, v, o, lse, scale, band, modification, Optional.of(other), blockMask,
        quantized, serving, sinks, apart);
  }

  /** Returns this problem with its tensors elsewhere. */
  public AttentionProblem at(View otherQ, View otherK, View otherV, View otherO) {
    return new AttentionProblem(type, sizes, otherQ, otherK, otherV, otherO, lse, scale, band, modification, packed,
        blockMask, quantized, serving, sinks, apart);
  }

  /** Returns this problem with the logarithms elsewhere, or without them. */
  public AttentionProblem withLogarithms(Optional<View> other) {
    return new AttentionProblem(type, sizes, q, k, v, o, other, scale, band, modification, packed, blockMask,
        quantized, serving, sinks, Optional.empty());
  }

  /** Returns this problem with the rows' maxima and sums in the place of their logarithms. */
  public AttentionProblem with(Apart other) {
    return new AttentionProblem(type, sizes, q, k, v, o, Optional.empty(), scale, band, modification, packed, blockMask,
        quantized, serving, sinks, Optional.of(other));
  }

  /** The numbers of each row that are stored beside O. */
  public Statistics statistics() {
    if (apart.isPresent()) return Statistics.MAXIMA_AND_SUMS;
    return lse.isPresent() ? Statistics.LOGARITHMS : Statistics.NONE;
  }

  /** Returns this problem of 8-bit operands with the P·V of each block of keys added to O in FP32. */
  public AttentionProblem promoted() {
    return new AttentionProblem(type, sizes, q, k, v, o, lse, scale, band, modification, packed, blockMask,
        Optional.of(quantized.orElseThrow(() -> new IllegalArgumentException("sums of " + type.text()
            + " products are FP32 already: only those of 8-bit operands are promoted")).promoted()), serving, sinks,
        apart);
  }

  public AttentionProblem scaled(float other) {
    return new AttentionProblem(type, sizes, q, k, v, o, lse, other, band, modification, packed, blockMask,
        quantized, serving, sinks, apart);
  }

  /** Returns this problem, skipping blocks of keys that the mask or the band hides. */
  public AttentionProblem skipping() {
    return skipping(true);
  }

  /** Returns this problem, skipping blocks of keys that the mask or the band hides, or not. */
  public AttentionProblem skipping(boolean skips) {
    return new AttentionProblem(type, sizes, q, k, v, o, lse, scale, band, modification, packed, skips, quantized,
        serving, sinks, apart);
  }

  /** Returns this problem with keys of a cache. */
  public AttentionProblem with(Serving other) {
    return new AttentionProblem(type, sizes, q, k, v, o, lse, scale, band, modification, packed, blockMask, quantized,
        other, sinks, apart);
  }

  /** Returns this problem with a logit of each head, H FP32 numbers in a buffer, in the softmax of its rows. */
  public AttentionProblem withSinks(String buffer) {
    return new AttentionProblem(type, sizes, q, k, v, o, lse, scale, band, modification, packed, blockMask, quantized,
        serving, Optional.of(buffer), apart);
  }

  /** Returns this problem with keys and values in dense pages (pages, rows, Hk, D) of the same buffers. */
  public AttentionProblem paged(Serving.Pages pages) {
    return inPages(pages.rows()).with(serving.with(pages));
  }

  /** Returns this problem with tokens that each query sees, in a cache of such pages. */
  public AttentionProblem choosing(Serving.Tokens tokens) {
    return inPages(tokens.rows()).with(serving.with(tokens));
  }

  private AttentionProblem inPages(int rows) {
    var keys = View.bshd(k.buffer, rows, sizes.keyHeads, sizes.headDim);
    return at(q, keys, isLatent() ? keys : View.bshd(v.buffer, rows, sizes.keyHeads, sizes.valueDim), o);
  }
}
