package tilewright.kernels.attention;

import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import tilewright.kernel.TensorSpec;
import tilewright.kernel.collective.attention.Statistics;
import tilewright.kernels.attention.AttentionProblem.View;
import tilewright.kernels.attention.serving.KeySplits;
import tilewright.kernels.attention.serving.Serving;
import tilewright.numerics.ElementType;

/**
 * The assumptions of kernels that copy boxes about attention's tensors: head dimensions are contiguous, or the keys of
 * V; all else is aligned.
 *
 * @param type of Q, K, V and their gradients
 * @param output type of O
 */
public record AttentionSpecs(ElementType type, ElementType output) {
  private static final int ALIGNED_BYTES = 16;

  /** Tensors of one type. */
  public AttentionSpecs(ElementType type) {
    this(type, type);
  }

  /**
   * Why a kernel that copies boxes cannot compute a problem, if it cannot.
   *
   * @param fits whether it has tiles for the head dimensions, of which {@code most} says the largest
   */
  public static Optional<String> refusal(AttentionProblem p, boolean fits, String most) {
    boolean byColumns = ValueOrder.of(p.v()) == ValueOrder.COLUMN_MAJOR;
    return unaligned(p.outputType(), Stream.of(p.o()))
        .or(() -> byColumns ? unalignedColumns(p) : unaligned(p.type(), Stream.of(p.v())))
        .or(() -> refusal(p, Stream.of(p.q(), p.k()), fits, most));
  }

  private static Optional<String> unalignedColumns(AttentionProblem p) {
    var v = p.v();
    int vector = ALIGNED_BYTES / p.type().bytes();
    return v.columnsAreAligned(vector, p.type().bytes()) ? Optional.empty()
        : Optional.of("columns of V are " + v.dim() + " elements apart, heads " + v.head() + ", batch entries "
            + v.batch() + ", from byte " + v.offset() + ": tensor copies need multiples of " + ALIGNED_BYTES
            + " bytes, such as columns with room for " + Math.ceilDiv(p.sizes().keys(), vector) * vector + " keys");
  }

  /** Why a kernel whose blocks begin with a sequence's first key cannot compute a problem, if it cannot. */
  public static Optional<String> refusalOfPackedColumns(AttentionProblem p) {
    return p.packed().isEmpty() ? Optional.empty() : refusalOfColumns(p).map(_ -> "packed sequences begin at any key, "
        + "but tensor copies of column-major V at multiples of " + ALIGNED_BYTES + " bytes: give rows of V, or take "
        + "sm90_attention");
  }

  /** Keys at whose multiples copies of a column of V begin. */
  public static int neighbours(ElementType type) {
    return ALIGNED_BYTES / type.bytes();
  }

  /** Why a kernel that reads V by rows only cannot compute a problem, if it cannot. */
  public static Optional<String> refusalOfColumns(AttentionProblem p) {
    return ValueOrder.of(p.v()) == ValueOrder.ROW_MAJOR ? Optional.empty()
        : Optional.of("V is column-major, its stride along the keys is 1: give rows of V, or take the forward pass of "
            + "sm90_attention or sm100_attention");
  }

  /** Why a kernel that neither splits keys nor finds them by lengths or pages cannot compute a problem, if so. */
  public static Optional<String> refusalOfServing(AttentionProblem p) {
    boolean plain = p.serving().equals(Serving.NONE) || p.serving().equals(Serving.NONE.with(new KeySplits.Ranges(1)));
    return plain ? Optional.empty() : refusalOfCodes(p).or(() -> refusalOfTokens(p)).or(() -> Optional.of("split keys, "
        + "lengths that the launch reads and pages need sm90_attention or sm80_decode_attention"));
  }

  /** Why a kernel whose K and V have the type of Q cannot compute a problem, if it cannot. */
  public static Optional<String> refusalOfCodes(AttentionProblem p) {
    return p.serving().codes().map(_ -> "a cache of " + p.cacheType().text() + " beside Q of " + p.type().text()
        + " needs sm80_decode_attention");
  }

  /** Why a kernel whose queries see a batch entry's keys cannot compute a problem, if it cannot. */
  public static Optional<String> refusalOfTokens(AttentionProblem p) {
    return p.serving().tokens().map(_ -> "tokens that queries choose need sm80_mla_decode or sm90_mla_decode: "
        + "latent attention");
  }

  /** Why a kernel cannot hide keys of a problem by a band, where queries choose tokens. */
  public static Optional<String> refusalOfBandOnTokens(AttentionProblem p) {
    return p.serving().tokens().isEmpty() || p.band().isAll() ? Optional.empty()
        : Optional.of("chosen tokens have no positions, so that no band hides them: leave unseen tokens out");
  }

  /** Why a kernel that stores logarithms only cannot compute a problem, if it cannot. */
  public static Optional<String> refusalOfApart(AttentionProblem p) {
    return p.apart().map(_ -> "maxima and sums apart need sm80_attention, sm80_decode_attention, sm80_mla_decode or "
        + "sm90_attention: store logarithms");
  }

  /** Why a kernel of 16-bit operands cannot compute a problem, if it cannot. */
  public static Optional<String> refusalOfQuantized(AttentionProblem p) {
    return p.quantized().map(_ -> p.format() + " operands need another kernel");
  }

  /** Why a kernel whose tensor cores multiply by no scales cannot compute a problem, if it cannot. */
  public static Optional<String> refusalOfScales(AttentionProblem p) {
    return p.blockScaled() ? Optional.of(p.format() + " operands need tensor cores with block scales: take "
        + "sm100_attention or sm120_attention, or e4m3 operands") : Optional.empty();
  }

  /** Like {@link #refusal(AttentionProblem, boolean, String)}, for the gradients. */
  public static Optional<String> refusal(AttentionBackwardProblem p, boolean fits, String most) {
    return refusalOfColumns(p.forward()).or(() -> refusal(p.forward(), p.views(), fits, most));
  }

  private static Optional<String> refusal(AttentionProblem p, Stream<View> views, boolean fits, String most) {
    var dims = fits ? Optional.<String>empty() : Optional.of("head dimensions " + p.sizes().headDim() + " and "
        + p.sizes().valueDim() + " are more than " + most);
    return unaligned(p.type(), views).or(() -> dims);
  }

  private static Optional<String> unaligned(ElementType type, Stream<View> views) {
    int vector = ALIGNED_BYTES / type.bytes();
    return views.allMatch(view -> view.isAligned(vector, type.bytes())) ? Optional.empty()
        : Optional.of("tensor copies need strides and offsets of " + ALIGNED_BYTES + " bytes");
  }

  public TensorSpec q() {
    return tensor("Q", "Sq", "D", "H", "D");
  }

  public TensorSpec k() {
    return tensor("K", "Sk", "D", "Hk", "D");
  }

  /** V, with keys as its second mode, as operand B of P·V has them. */
  public TensorSpec v() {
    return v(ValueOrder.ROW_MAJOR);
  }

  /** V in an order. */
  public TensorSpec v(ValueOrder order) {
    return tensor("V", "Dv", "Sk", "Hk", order.contiguous());
  }

  public TensorSpec o() {
    return new AttentionSpecs(output).tensor("O", "Sq", "Dv", "H", "Dv");
  }

  /** The gradient by O. */
  public TensorSpec dO() {
    return tensor("dO", "Sq", "Dv", "H", "Dv");
  }

  /** The gradient by K. */
  public TensorSpec dK() {
    return tensor("dK", "Sk", "D", "Hk", "D");
  }

  /** The gradient by V, with keys as its second mode. */
  public TensorSpec dV() {
    return tensor("dV", "Dv", "Sk", "Hk", "Dv");
  }

  /** The logarithms of rows' sums. */
  public static TensorSpec logSumExp() {
    return TensorSpec.of("LSE", ElementType.F32, "Sq", "H", "B");
  }

  /** The tensors of the statistics that are stored of each row. */
  public static List<TensorSpec> statistics(Statistics which) {
    return switch (which) {
      case NONE -> List.of();
      case LOGARITHMS -> List.of(logSumExp());
      case MAXIMA_AND_SUMS -> Stream.of("Maxima", "Sums")
          .map(name -> TensorSpec.of(name, ElementType.F32, "Sq", "H", "B")).toList();
    };
  }

  /** The logit of each head that its rows' softmax includes. */
  public static TensorSpec sinks() {
    return TensorSpec.of("sinks", ElementType.F32, "H").contiguous("H");
  }

  /** The factors of codes: descaleQ, descaleK or descaleV, of a block of rows of each head. */
  public static TensorSpec factors(String name) {
    var heads = name.endsWith("Q") ? "H" : "Hk";
    return TensorSpec.of(name, ElementType.F32, "Blocks" + name, heads, "Entries");
  }

  /** Cumulated lengths of packed sequences: cuQ or cuK. */
  public static TensorSpec lengths(String name) {
    return TensorSpec.of(name, ElementType.I32, "B1").contiguous("B1");
  }

  /** The number of keys of each batch entry. */
  public static TensorSpec keyLengths() {
    return TensorSpec.of("keyLengths", ElementType.I32, "B").contiguous("B");
  }

  /** The rows before each batch entry's first key. */
  public static TensorSpec keyPadding() {
    return TensorSpec.of("keyPadding", ElementType.I32, "B").contiguous("B");
  }

  /** The pages of each batch entry. */
  public static TensorSpec pageTable() {
    return TensorSpec.of("pageTable", ElementType.I32, "PagesOfEntry", "B").contiguous("PagesOfEntry");
  }

  /** The tokens of each query. */
  public static TensorSpec indices() {
    return TensorSpec.of("indices", ElementType.I32, "Tokens", "Sq", "B").contiguous("Tokens");
  }

  private TensorSpec tensor(String name, String rows, String columns, String heads, String contiguous) {
    return TensorSpec.of(name, type, rows, columns, heads, "B").contiguous(contiguous)
        .aligned(ALIGNED_BYTES / type.bytes());
  }
}
